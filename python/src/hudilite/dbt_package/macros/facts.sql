{# Facts of a hudilite table, from the config of a model, seed or snapshot. #}

{# Whether the node is stored as a hudilite table. #}
{% macro is_hudilite() %}
  {{ return(config.get('file_format') == 'hudilite') }}
{% endmacro %}

{# Error for a model in Python. #}
{% macro check_language() %}
  {% if model.language != 'sql' %}
    {% do exceptions.raise_compiler_error('A hudilite table is written by a model in SQL, not in ' ~ model.language ~ '.') %}
  {% endif %}
{% endmacro %}

{#
  Key columns: primaryKey of tblproperties or options, else the column of a snapshot that differs in
  each version of a row, else unique_key, else the primary key of an enforced contract. An empty
  primaryKey asks for a table without a key.
#}
{% macro key_columns() %}
  {% set options = config.get('options') or {} %}
  {% set properties = config.get('tblproperties') or {} %}
  {% set stated = properties.get('primaryKey', options.get('primaryKey')) %}
  {% if stated is not none %}
    {{ return([stated] if stated else []) }}
  {% endif %}
  {% if model.resource_type == 'snapshot' %}
    {% set names = config.get('snapshot_table_column_names') or get_snapshot_table_column_names() %}
    {{ return([names.dbt_scd_id]) }}
  {% endif %}
  {% set key = config.get('unique_key') %}
  {% if key %}
    {{ return([key] if key is string else key) }}
  {% endif %}
  {% if config.get('contract') and config.get('contract').enforced %}
    {% for constraint in model.constraints if constraint.type == 'primary_key' %}
      {{ return(constraint.columns) }}
    {% endfor %}
    {% for name, column in model.columns.items() %}
      {% for constraint in column.constraints if constraint.type == 'primary_key' %}
        {{ return([name]) }}
      {% endfor %}
    {% endfor %}
  {% endif %}
  {{ return([]) }}
{% endmacro %}

{# TBLPROPERTIES with the key. #}
{% macro properties_with_key() %}
  {% set properties = dict(config.get('tblproperties') or {}) %}
  {% do properties.pop('primaryKey', none) %}
  {% set key = hudilite.key_columns() %}
  {% if key %}
    {% do properties.update({'primaryKey': key | join(',')}) %}
  {% endif %}
  {% if properties %}
  tblproperties (
    {% for name, value in properties.items() %}
    '{{ name }}' = '{{ value }}'{{ ',' if not loop.last }}
    {% endfor %}
  )
  {% endif %}
{% endmacro %}

{# WITH BUCKETS from buckets, and its ON from clustered_by. #}
{% macro buckets_clause() %}
  {% set buckets = config.get('buckets', validator=validation.any[int]) %}
  {% set hashed = config.get('clustered_by', validator=validation.any[list, basestring]) %}
  {% if buckets %}
  with buckets {{ buckets }}
    {% if hashed %} on ({{ hashed if hashed is string else hashed | join(', ') }}) {% endif %}
  {% endif %}
{% endmacro %}

{# Statements that create and change hudilite tables; those of other formats stay dbt-spark's. #}

{% macro spark__create_table_as(temporary, relation, compiled_code, language='sql') %}
  {% if temporary or language != 'sql' or not hudilite.is_hudilite() %}
    {{ return(dbt.spark__create_table_as(temporary, relation, compiled_code, language)) }}
  {% endif %}
  create or replace table {{ relation }}
  {% if config.get('contract').enforced %}
    {{ get_assert_columns_equivalent(compiled_code) }}
    {% set compiled_code = get_select_subquery(compiled_code) %}
  {% endif %}
  using hudilite
  {{ partition_cols(label='partitioned by') }}
  {{ hudilite.buckets_clause() }}
  {{ location_clause() }}
  {{ comment_clause() }}
  {{ hudilite.properties_with_key() }}
  as
  {{ compiled_code }}
{% endmacro %}

{# Seeds: the columns of the file, with the key and the buckets of the config. #}
{% macro spark__create_csv_table(model, agate_table) %}
  {% if not hudilite.is_hudilite() %}
    {{ return(dbt.spark__create_csv_table(model, agate_table)) }}
  {% endif %}
  {% set types = model['config'].get('column_types', {}) %}
  {% set sql %}
    create table {{ this.render() }} (
      {% for name in agate_table.column_names %}
      {{ adapter.quote_seed_column(name | string, model['config'].get('quote_columns')) }}
      {{ types.get(name, adapter.convert_type(agate_table, loop.index0)) }}{{ ',' if not loop.last }}
      {% endfor %}
    )
    using hudilite
    {{ partition_cols(label='partitioned by') }}
    {{ hudilite.buckets_clause() }}
    {{ location_clause() }}
    {{ comment_clause() }}
    {{ hudilite.properties_with_key() }}
  {% endset %}
  {% call statement('_') %}
    {{ sql }}
  {% endcall %}
  {{ return(sql) }}
{% endmacro %}

{# For file_format hudi: the key as Hudi's option, also for a snapshot and for several columns. #}
{% macro spark__options_clause() %}
  {% if config.get('file_format') != 'hudi' %}
    {{ return(dbt.spark__options_clause()) }}
  {% endif %}
  {% set options = dict(config.get('options') or {}) %}
  {% set key = hudilite.key_columns() %}
  {% if key %}
    {% do options.update({'primaryKey': key | join(',')}) %}
  {% endif %}
  {% if options %}
  options (
    {% for name, value in options.items() %}
    '{{ name }}' '{{ value }}'{{ ',' if not loop.last }}
    {% endfor %}
  )
  {% endif %}
{% endmacro %}

{# Constraints of an enforced contract: hudilite checks them in every write. #}
{% macro spark__persist_constraints(relation, model) %}
  {% if not hudilite.is_hudilite() %}
    {{ return(dbt.spark__persist_constraints(relation, model)) }}
  {% endif %}
  {% for name, condition in hudilite.checks(model) %}
    {% call statement() %}
      alter table {{ relation }} add constraint {{ name }} check ({{ condition }})
    {% endcall %}
  {% endfor %}
{% endmacro %}

{# Names and conditions of the CHECK constraints of an enforced contract. #}
{% macro checks(model) %}
  {% set found = [] %}
  {% if config.get('contract').enforced %}
    {% for constraint in model.constraints if constraint.type == 'check' %}
      {% do found.append([constraint.name, constraint.expression]) %}
    {% endfor %}
    {% for name, column in model.columns.items() %}
      {% set quoted = adapter.quote(name) if column.quote else name %}
      {% for constraint in column.constraints %}
        {% if constraint.type == 'not_null' and name not in hudilite.key_columns() %}
          {% do found.append([constraint.name, quoted ~ ' is not null']) %}
        {% elif constraint.type == 'check' %}
          {% do found.append([constraint.name, constraint.expression]) %}
        {% endif %}
      {% endfor %}
    {% endfor %}
  {% endif %}
  {% set named = [] %}
  {% for name, condition in found %}
    {% do named.append([name or 'check_' ~ local_md5(condition), condition]) %}
  {% endfor %}
  {{ return(named) }}
{% endmacro %}

{% macro spark__alter_column_comment(relation, column_dict) %}
  {% if not hudilite.is_hudilite() %}
    {{ return(dbt.spark__alter_column_comment(relation, column_dict)) }}
  {% endif %}
  {% for name, column in column_dict.items() %}
    {% call statement() %}
      alter table {{ relation }} alter column {{ adapter.quote(name) if column.quote else name }}
      comment '{{ column.description | replace("\\", "\\\\") | replace("'", "\\'") }}'
    {% endcall %}
  {% endfor %}
{% endmacro %}

{# on_schema_change: hudilite also drops columns. #}
{% macro spark__alter_relation_add_remove_columns(relation, add_columns, remove_columns) %}
  {% if not hudilite.is_hudilite() %}
    {{ return(dbt.spark__alter_relation_add_remove_columns(relation, add_columns, remove_columns)) }}
  {% endif %}
  {% if add_columns %}
    {% call statement() %}
      alter table {{ relation }} add columns (
        {% for column in add_columns %}
        {{ column.quoted }} {{ column.data_type }}{{ ',' if not loop.last }}
        {% endfor %}
      )
    {% endcall %}
  {% endif %}
  {% if remove_columns %}
    {% call statement() %}
      alter table {{ relation }} drop columns ({{ remove_columns | map(attribute='quoted') | join(', ') }})
    {% endcall %}
  {% endif %}
{% endmacro %}

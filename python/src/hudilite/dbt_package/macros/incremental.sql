{# Incremental models: dbt-spark's, which takes a fixed list of formats, and its steps for hudilite. #}

{% materialization incremental, adapter='spark', supported_languages=['sql', 'python'] %}
  {% if not hudilite.is_hudilite() %}
    {{ return(dbt.materialization_incremental_spark()) }}
  {% endif %}
  {% set key = config.get('unique_key') %}
  {% set strategy = hudilite.incremental_strategy(key) %}
  {% set on_schema_change = incremental_validate_on_schema_change(config.get('on_schema_change'), default='ignore') %}
  {% set existing = load_relation(this) %}
  {% set rows = this.incorporate(path={'identifier': this.identifier ~ '__dbt_tmp'}).include(database=false, schema=false) %}
  {% set is_new = existing is none or existing.is_view or should_full_refresh() %}

  {% if strategy in ['insert_overwrite', 'microbatch'] and config.get('partition_by') %}
    {% call statement() %}
      set spark.sql.sources.partitionOverwriteMode = DYNAMIC
    {% endcall %}
  {% endif %}
  {{ run_hooks(pre_hooks) }}

  {% if is_new %}
    {% if existing is not none %}
      {% do adapter.drop_relation(existing) %}
    {% endif %}
    {% call statement('main') %}
      {{ create_table_as(False, this, compiled_code) }}
    {% endcall %}
    {% do persist_constraints(this, model) %}
  {% else %}
    {% call statement('create_tmp_relation') %}
      {{ create_table_as(True, rows, compiled_code) }}
    {% endcall %}
    {% do process_schema_changes(on_schema_change, rows, existing) %}
    {% set predicates = config.get('predicates') or config.get('incremental_predicates') %}
    {% call statement('main') %}
      {{ dbt_spark_get_incremental_sql(strategy, rows, this, existing, key, predicates) }}
    {% endcall %}
  {% endif %}

  {% do apply_grants(this, config.get('grants'), should_revoke(existing, is_new)) %}
  {% do persist_docs(this, model) %}
  {{ run_hooks(post_hooks) }}
  {{ return({'relations': [this]}) }}
{% endmaterialization %}

{# The strategy of the config; without one, merge for a model with unique_key, else append. #}
{% macro incremental_strategy(key) %}
  {% if model.language != 'sql' %}
    {% do exceptions.raise_compiler_error('A hudilite table is written by a model in SQL, not in ' ~ model.language ~ '.') %}
  {% endif %}
  {% set strategy = config.get('incremental_strategy') or ('merge' if key else 'append') %}
  {% set known = ['append', 'merge', 'insert_overwrite', 'microbatch'] %}
  {% if strategy not in known %}
    {% do exceptions.raise_compiler_error("Unknown incremental_strategy '" ~ strategy ~ "'. Write one of " ~ known | join(', ') ~ '.') %}
  {% endif %}
  {{ return(strategy) }}
{% endmacro %}

{# MERGE of a model. With append_new_columns, a column that the model no longer has stays as it is. #}
{% macro spark__get_merge_sql(target, source, unique_key, dest_columns, incremental_predicates) %}
  {% set merge = dbt.spark__get_merge_sql(target, source, unique_key, dest_columns, incremental_predicates) %}
  {% if hudilite.is_hudilite() and config.get('on_schema_change') == 'append_new_columns' %}
    {% set merge = merge | replace('merge into', 'merge with schema evolution into', 1) %}
  {% endif %}
  {{ return(merge) }}
{% endmacro %}

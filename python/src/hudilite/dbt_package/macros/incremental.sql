{# Incremental models: dbt-spark's, which takes a fixed list of formats, and its steps for hudilite. #}

{% materialization incremental, adapter='spark', supported_languages=['sql', 'python'] %}
  {% if not hudilite.is_hudilite() %}
    {{ return(dbt.materialization_incremental_spark()) }}
  {% endif %}
  {% set key = config.get('unique_key') %}
  {% set strategy = hudilite.incremental_strategy(key) %}
  {% set own = none if hudilite.is_known(strategy) else adapter.get_incremental_strategy_macro(context, strategy) %}
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
    {% do hudilite.create_or_replace(existing) %}
  {% else %}
    {% call statement('create_tmp_relation') %}
      {{ create_table_as(True, rows, compiled_code) }}
    {% endcall %}
    {% do process_schema_changes(on_schema_change, rows, existing) %}
    {% set predicates = config.get('predicates') or config.get('incremental_predicates') %}
    {% call statement('main') %}
      {% if own is none %}
        {{ dbt_spark_get_incremental_sql(strategy, rows, this, existing, key, predicates) }}
      {% else %}
        {% set columns = adapter.get_columns_in_relation(existing) %}
        {{ own({'target_relation': this, 'temp_relation': rows, 'unique_key': key, 'dest_columns': columns, 'incremental_predicates': predicates}) }}
      {% endif %}
    {% endcall %}
  {% endif %}

  {% do apply_grants(this, config.get('grants'), should_revoke(existing, is_new)) %}
  {% do persist_docs(this, model) %}
  {{ run_hooks(post_hooks) }}
  {{ return({'relations': [this]}) }}
{% endmaterialization %}

{# Whether a strategy is one of dbt-spark's; another one is a macro of the project. #}
{% macro is_known(strategy) %}
  {{ return(strategy in ['append', 'merge', 'insert_overwrite', 'microbatch']) }}
{% endmacro %}

{# The strategy of the config; without one, merge for a model with unique_key, else append. #}
{% macro incremental_strategy(key) %}
  {% do hudilite.check_language() %}
  {% set strategy = config.get('incremental_strategy') or ('merge' if key else 'append') %}
  {% if strategy == 'delete+insert' %}
    {% do exceptions.raise_compiler_error("hudilite has no incremental_strategy 'delete+insert'. Write 'merge', which is one commit.") %}
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

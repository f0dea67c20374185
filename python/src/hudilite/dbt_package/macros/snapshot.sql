{# Snapshots: dbt-spark's, which takes a fixed list of formats, and its steps for hudilite. #}

{% materialization snapshot, adapter='spark' %}
  {% if not hudilite.is_hudilite() %}
    {{ return(dbt.materialization_snapshot_spark()) }}
  {% endif %}
  {% set exists, target = get_or_create_relation(database=none, schema=model.schema, identifier=model.alias, type='table') %}
  {% if exists and not target.is_hudi %}
    {% do exceptions.raise_compiler_error(target ~ ' is no hudilite table. Drop it, or give the snapshot another alias.') %}
  {% endif %}
  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}
  {% set strategy = strategy_dispatch(config.get('strategy'))(model, 'snapshotted_data', 'source_data', model['config'], exists) %}

  {% if not exists %}
    {% set sql_of_rows = create_table_as(False, target, build_snapshot_table(strategy, model['compiled_code'])) %}
  {% else %}
    {% set names = config.get('snapshot_table_column_names') or get_snapshot_table_column_names() %}
    {{ adapter.assert_valid_snapshot_target_given_strategy(target, names, strategy) }}
    {% set staging = spark_build_snapshot_staging_table(strategy, sql, target) %}
    {% do adapter.expand_target_column_types(from_relation=staging, to_relation=target) %}
    {% do create_columns(target, hudilite.new_columns(staging, target, strategy.unique_key)) %}
    {% set sql_of_rows = snapshot_merge_sql(target=target, source=staging, insert_cols=[]) %}
  {% endif %}

  {% call statement('main') %}
    {{ sql_of_rows }}
  {% endcall %}

  {% do apply_grants(target, config.get('grants'), should_revoke(exists, should_full_refresh())) %}
  {% do persist_docs(target, model) %}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {{ adapter.commit() }}
  {% if staging is defined %}
    {% do post_snapshot(staging) %}
  {% endif %}
  {{ run_hooks(post_hooks, inside_transaction=False) }}
  {{ return({'relations': [target]}) }}
{% endmaterialization %}

{# Columns of the source that the snapshot lacks, without those that only its MERGE needs. #}
{% macro new_columns(staging, target, unique_key) %}
  {% set keys = [unique_key] if unique_key is string else unique_key %}
  {% set steps = ['dbt_change_type', 'dbt_unique_key'] %}
  {% for _ in keys %}
    {% do steps.append('dbt_unique_key_' ~ loop.index) %}
  {% endfor %}
  {% set found = [] %}
  {% for column in adapter.get_missing_columns(staging, target) if column.name | lower not in steps %}
    {% do found.append(column) %}
  {% endfor %}
  {{ return(found) }}
{% endmacro %}

{# Columns of a table. dbt-spark returns rows of DESCRIBE, in which dbt finds no name of a column. #}
{% macro spark__get_columns_in_relation(relation) %}
  {% if not hudilite.is_hudilite() %}
    {{ return(dbt.spark__get_columns_in_relation(relation)) }}
  {% endif %}
  {{ return(adapter.get_columns_in_relation(relation)) }}
{% endmacro %}

{# Table models, and the statement that creates a table or replaces the rows of one. #}

{% materialization table, adapter='spark', supported_languages=['sql', 'python'] %}
  {% if not hudilite.is_hudilite() %}
    {{ return(dbt.materialization_table_spark()) }}
  {% endif %}
  {% do hudilite.check_language() %}
  {% set existing = load_relation(this) %}
  {{ run_hooks(pre_hooks) }}
  {% do hudilite.create_or_replace(existing) %}
  {% do apply_grants(this, config.get('grants'), should_revoke(existing, full_refresh_mode=True)) %}
  {% do persist_docs(this, model) %}
  {{ run_hooks(post_hooks) }}
  {{ return({'relations': [this.incorporate(type='table')]}) }}
{% endmaterialization %}

{#
  Runs the model's query. A table with the same columns, facts and constraints gets the new rows in
  one commit and keeps its history; a view or another table is dropped first.
#}
{% macro create_or_replace(existing) %}
  {% set create = create_table_as(False, this, compiled_code) %}
  {% set replaces = existing is not none and hudilite.is_replaced(existing, create) %}
  {% if existing is not none and not replaces %}
    {% do adapter.drop_relation(existing) %}
  {% endif %}
  {% call statement('main') %}
    {{ create }}
  {% endcall %}
  {% if not replaces %}
    {% do persist_constraints(this, model) %}
  {% endif %}
{% endmacro %}

{#
  Whether a statement replaces the rows of a relation. EXPLAIN returns the error of a statement that
  declares other columns or facts. Files of an external table stay after DROP TABLE, so that the
  statement itself says what differs.
#}
{% macro is_replaced(existing, create) %}
  {% set about = existing.information or '' %}
  {% if not existing.is_table or 'Provider: hudilite' not in about %}
    {{ return(false) }}
  {% endif %}
  {% if 'Type: EXTERNAL' in about %}
    {{ return(true) }}
  {% endif %}
  {% set plan = run_query('explain ' ~ create).columns[0].values() | join('\n') %}
  {{ return('[HUDILITE_REPLACE_DIFFERS]' not in plan and hudilite.has_checks(existing)) }}
{% endmacro %}

{# Whether the CHECK constraints of a table are those of the model's contract. #}
{% macro has_checks(existing) %}
  {% set conditions = {} %}
  {% for row in run_query('describe extended ' ~ existing) if row[1].startswith('CHECK (') %}
    {% do conditions.update({row[0] | lower: row[1]}) %}
  {% endfor %}
  {% set checks = hudilite.checks(model) %}
  {% for name, condition in checks if ('CHECK (' ~ condition ~ ')') not in conditions.get(name | lower, '') %}
    {{ return(false) }}
  {% endfor %}
  {{ return(checks | length == conditions | length) }}
{% endmacro %}

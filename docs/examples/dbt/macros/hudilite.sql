{# dbt takes a materialization of a package only where the project says so. #}

{% materialization table, adapter='spark', supported_languages=['sql', 'python'] %}
  {{ return(hudilite.materialization_table_spark()) }}
{% endmaterialization %}

{% materialization incremental, adapter='spark', supported_languages=['sql', 'python'] %}
  {{ return(hudilite.materialization_incremental_spark()) }}
{% endmaterialization %}

{% materialization snapshot, adapter='spark' %}
  {{ return(hudilite.materialization_snapshot_spark()) }}
{% endmaterialization %}

{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id', buckets=4) }}
select id, customer, amount, day from {{ ref('raw_orders') }}
{% if is_incremental() %}
where day >= (select max(day) from {{ this }})
{% endif %}

{{ config(materialized='incremental', incremental_strategy='append', unique_key='id') }}
select id, customer, amount, day from {{ ref('raw_orders') }}
{% if is_incremental() %}
where id > (select max(id) from {{ this }})
{% endif %}

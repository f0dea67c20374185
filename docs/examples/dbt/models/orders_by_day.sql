{{ config(materialized='incremental', incremental_strategy='insert_overwrite', unique_key=['day', 'id'], partition_by='day') }}
select id, customer, amount, day from {{ ref('raw_orders') }}
{% if is_incremental() %}
where day >= (select max(day) from {{ this }})
{% endif %}

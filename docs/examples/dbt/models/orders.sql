{{ config(materialized='table', unique_key='id', buckets=2) }}
select id, customer, amount, day from {{ ref('raw_orders') }}

{{ config(materialized='view') }}
select customer, sum(amount) as amount from {{ ref('orders') }} group by customer

{{ config(materialized='incremental', incremental_strategy='microbatch', unique_key=['day', 'id'], partition_by='day',
          event_time='day', batch_size='day', begin='2026-01-01') }}
select id, customer, amount, day from {{ ref('raw_orders') }}

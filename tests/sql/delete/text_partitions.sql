-- A text that is no number, as in Hudi's default partition, fails a statement only if a row has it.
statement
CREATE TABLE t (id INT, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1

statement
INSERT INTO t VALUES (1, '2019'), (2, '2024'), (3, NULL), (4, 'abc')

statement
DELETE FROM t WHERE p = 'abc'

query
SELECT id FROM t WHERE p < 2020

statement
DELETE FROM t WHERE p < 2020

query
SELECT * FROM t

statement
INSERT INTO t REPLACE WHERE p > 2020 VALUES (5, '2025')

query
SELECT * FROM t

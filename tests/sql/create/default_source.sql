-- Hand: the tables of Delta need USING delta here
-- Config: spark.sql.sources.default=hudilite
-- A table without USING is a hudilite table where that is the default.
statement
CREATE TABLE t (id INT, v STRING)

statement
INSERT INTO t VALUES (1, 'a'), (2, 'b')

query
SELECT * FROM t

query
SHOW CREATE TABLE t

statement
CREATE TABLE k (id INT, v STRING, PRIMARY KEY (id))

statement
MERGE INTO k USING t ON k.id = t.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
UPDATE k SET v = 'c' WHERE id = 2

statement
CREATE TABLE q AS SELECT * FROM k

query
SELECT * FROM q

statement
CREATE TABLE p USING parquet AS SELECT * FROM k

-- Tables of two databases in one statement; a database that is dropped takes its tables along.
statement
CREATE DATABASE other_of_two LOCATION '{folder}/other'

statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
CREATE TABLE other_of_two.t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO other_of_two.t VALUES (1, 'one'), (2, 'two')

statement
INSERT INTO t SELECT * FROM other_of_two.t WHERE id = 1

query
MERGE INTO t USING other_of_two.t s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET v = concat(t.v, ' again')
WHEN NOT MATCHED THEN INSERT *

query
SELECT a.id, a.v, b.v FROM t a JOIN other_of_two.t b ON a.id = b.id

query expect_error(SCHEMA_NOT_EMPTY)
DROP DATABASE other_of_two

statement
DROP DATABASE other_of_two CASCADE

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
SELECT * FROM other_of_two.t

query
SELECT count(*) FROM t

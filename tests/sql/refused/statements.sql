-- Hand: errors only
-- What is not built yet is refused by its name, and changes nothing.
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a', 'x')

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
INSERT INTO t REPLACE WHERE id > rand() VALUES (1, 'b', 'x')

-- A condition that changes with each call, in each clause that has one.
statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
UPDATE t SET v = 'changed' WHERE id > 0 AND rand() < 2

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
DELETE FROM t WHERE rand(3) < 2

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
MERGE INTO t USING (SELECT 1 id, 'x' v) s ON t.id = s.id AND rand() < 2 WHEN MATCHED THEN DELETE

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
MERGE INTO t USING (SELECT 1 id, 'x' v) s ON t.id = s.id WHEN MATCHED AND uuid() > t.v THEN DELETE

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
MERGE INTO t USING (SELECT 1 id, 'x' v) s ON t.id = s.id
WHEN NOT MATCHED AND monotonically_increasing_id() < 2 THEN INSERT (id, v) VALUES (s.id, s.v)

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

query
SELECT *, _hoodie_commit_time FROM t

statement
CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO t SELECT id, CASE WHEN id % 2 = 0 THEN 'even' ELSE 'odd' END, 'old' FROM range(1, 11)

query
MERGE INTO t USING (SELECT * FROM VALUES (1), (2), (30) AS q(id)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET v = 'matched'
WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (s.id, 'even', 'inserted')
WHEN NOT MATCHED BY SOURCE AND t.id > 8 THEN DELETE
WHEN NOT MATCHED BY SOURCE AND t.p = 'odd' THEN UPDATE SET v = concat(t.v, ' odd')

query
SELECT * FROM t

-- Rows in partitions and buckets without a source row count as well.
query
MERGE INTO t USING (SELECT * FROM VALUES (1) AS q(id)) s ON t.id = s.id
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = 'by nobody'

query
SELECT * FROM t

-- A synchronised copy in one statement.
query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'odd', 'one'), (40, 'even', 'forty') AS q(id, p, v)) s ON t.id = s.id AND t.p = s.p
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *
WHEN NOT MATCHED BY SOURCE THEN DELETE

query
SELECT * FROM t

-- An empty source leaves every row unmatched.
query
MERGE INTO t USING (SELECT 1 id WHERE false) s ON t.id = s.id
WHEN NOT MATCHED BY SOURCE AND t.id = 40 THEN DELETE

query
SELECT * FROM t

query
MERGE INTO t USING (SELECT 1 id WHERE false) s ON t.id = s.id WHEN NOT MATCHED BY SOURCE THEN DELETE

query
SELECT count(*) FROM t

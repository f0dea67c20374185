-- Hand: plans
-- Config: spark.sql.shuffle.partitions=4
-- Config: spark.sql.autoBroadcastJoinThreshold=-1
-- Config: spark.sql.adaptive.enabled=false

statement
CREATE TABLE t (id BIGINT, p INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 8

statement
CREATE TABLE s (id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 8

statement
CREATE TABLE pt (id BIGINT, p INT, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 8

statement
CREATE TABLE s16 (id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 16

statement
INSERT INTO t SELECT id, int(id % 2), 't' FROM range(200)

statement
INSERT INTO s SELECT id, 's' FROM range(100, 300)

statement
INSERT INTO pt SELECT id, int(id % 2), 'p' FROM range(200)

statement
INSERT INTO s16 SELECT id, 's' FROM range(100, 300)

-- Tables with the same number of buckets by columns of one type join without an exchange.
query
EXPLAIN SELECT t.v, s.v FROM t JOIN s ON t.id = s.id

query
SELECT count(*), min(t.id), max(s.id), min(t.v), max(s.v) FROM t JOIN s ON t.id = s.id

-- So they do in partitions, where the join is on the partition columns too, or reads none of them.
query
EXPLAIN SELECT * FROM pt JOIN pt AS other ON pt.p = other.p AND pt.id = other.id

query
EXPLAIN SELECT pt.v, s.v FROM pt JOIN s ON pt.id = s.id

-- Rows of one key are in one task already.
query
EXPLAIN SELECT id, count(v) FROM s GROUP BY id

query
EXPLAIN SELECT t.v, s16.v FROM t JOIN s16 ON t.id = s16.id

-- A source that is bucketed like the target is not exchanged, nor are rows that are made of such sources.
query
EXPLAIN MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)

query
EXPLAIN MERGE INTO pt USING (SELECT t.id, t.p, s.v FROM t JOIN s ON t.id = s.id) x ON pt.id = x.id AND pt.p = x.p WHEN MATCHED THEN UPDATE SET v = x.v

query
EXPLAIN MERGE INTO t USING s16 ON t.id = s16.id WHEN MATCHED THEN UPDATE SET v = s16.v

query
MERGE INTO pt USING (SELECT t.id, t.p, s.v FROM t JOIN s ON t.id = s.id) x ON pt.id = x.id AND pt.p = x.p WHEN MATCHED THEN UPDATE SET v = x.v

query
SELECT p, v, count(*) FROM pt GROUP BY p, v ORDER BY p, v

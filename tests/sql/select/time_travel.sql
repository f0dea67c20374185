-- Hand: a version is an instant, which Delta has none of
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM t TIMESTAMP AS OF '2024-01-01'

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM t VERSION AS OF '20240101000000000'

-- 1
statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y')

-- 2
statement
MERGE INTO t USING (SELECT 1 id, 'A' v, 'x' p UNION ALL SELECT 4, 'd', 'z') s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

-- 3
statement
DELETE FROM t WHERE id = 2

-- 4, the group of 1 is hidden, and a new one written.
statement
INSERT OVERWRITE t PARTITION (p = 'x') VALUES (5, 'e')

-- 5
statement
ALTER TABLE t DROP PARTITION (p = 'y')

-- 6
statement
TRUNCATE TABLE t

-- 7
statement
INSERT INTO t VALUES (6, 'f', 'x')

query
SELECT * FROM t VERSION AS OF '{instant 1 of t}' ORDER BY id

query
SELECT * FROM t VERSION AS OF '{instant 2 of t}' ORDER BY id

query
SELECT * FROM t VERSION AS OF '{instant 3 of t}' ORDER BY id

query
SELECT * FROM t VERSION AS OF '{instant 4 of t}' ORDER BY id

query
SELECT * FROM t FOR SYSTEM_VERSION AS OF '{instant 5 of t}' ORDER BY id

query
SELECT * FROM t VERSION AS OF '{instant 6 of t}'

query
SELECT * FROM t VERSION AS OF '{instant 7 of t}'

query
SELECT * FROM t TIMESTAMP AS OF to_timestamp(concat(left('{instant 2 of t}', 14), '.', right('{instant 2 of t}', 3)), 'yyyyMMddHHmmss.SSS') ORDER BY id

query
SELECT * FROM t TIMESTAMP AS OF to_timestamp(concat(left('{instant 3 of t}', 14), '.', right('{instant 3 of t}', 3)), 'yyyyMMddHHmmss.SSS') - INTERVAL 1 MILLISECOND ORDER BY id

query
SELECT * FROM t TIMESTAMP AS OF current_timestamp()

-- Footers and pruning are those of the version.
query
SELECT count(*), min(id), max(v) FROM t VERSION AS OF '{instant 2 of t}'

query
SELECT v FROM t VERSION AS OF '{instant 2 of t}' WHERE id = 1 AND p = 'x'

query
SELECT DISTINCT p FROM t VERSION AS OF '{instant 2 of t}' ORDER BY p

query
SELECT id, _hoodie_record_key FROM t VERSION AS OF '{instant 2 of t}' WHERE _hoodie_commit_time = '{instant 2 of t}' ORDER BY id

-- The digits of an instant, as stock Hudi reads them.
query
SELECT * FROM t TIMESTAMP AS OF '{instant 2 of t}' ORDER BY id

query
SELECT count(*) FROM hudilite.`{folder}/db/t` TIMESTAMP AS OF '{instant 1 of t}' WHERE id IN (SELECT id FROM t TIMESTAMP AS OF '{instant 3 of t}')

query
WITH q AS (SELECT * FROM t TIMESTAMP AS OF '{instant 2 of t}') SELECT count(*), (SELECT count(*) FROM t TIMESTAMP AS OF '{instant 1 of t}') AS first FROM q

statement
CREATE TEMPORARY VIEW before AS SELECT * FROM t TIMESTAMP AS OF '{instant 1 of t}'

query
SELECT * FROM before ORDER BY id

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM t TIMESTAMP AS OF '20000101000000'

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM t FOR SYSTEM_TIME AS OF 20000101000000

query expect_error(INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT)
SELECT * FROM nowhere TIMESTAMP AS OF '20000101000000'

-- Two versions in one query, by name and by path.
query
SELECT o.id, o.v, n.v FROM t VERSION AS OF '{instant 1 of t}' o FULL JOIN t VERSION AS OF '{instant 3 of t}' n ON o.id = n.id ORDER BY coalesce(o.id, n.id)

query
SELECT * FROM hudilite.`{folder}/db/t` VERSION AS OF '{instant 4 of t}' ORDER BY id

-- A version is a source like any other, of its own table as well.
statement
MERGE INTO t USING (SELECT * FROM t VERSION AS OF '{instant 2 of t}') s ON t.id = s.id AND t.p = s.p WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t ORDER BY id

statement
INSERT OVERWRITE t SELECT * FROM t VERSION AS OF '{instant 1 of t}'

query
SELECT * FROM t ORDER BY id

query
SELECT * FROM t VERSION AS OF '{instant 8 of t}' ORDER BY id

-- What is no version.
query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM t VERSION AS OF 99

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM t VERSION AS OF 'a_branch'

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM t VERSION AS OF '20240101000000000'

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM t TIMESTAMP AS OF '2000-01-01'

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM t TIMESTAMP AS OF '2999-01-01'

query expect_error(INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT)
SELECT * FROM t TIMESTAMP AS OF 'yesterday-ish'

statement
CREATE TABLE other (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO other VALUES (1)

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM other VERSION AS OF '{instant 1 of t}'

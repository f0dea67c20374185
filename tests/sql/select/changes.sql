-- Hand: hudilite_changes is hudilite's own function
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

query
SELECT * FROM hudilite_changes('t', 'earliest')

-- 1
statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y'), (7, 'g', 'x')

-- 2
statement
MERGE INTO t USING (SELECT 1 id, 'A' v, 'x' p UNION ALL SELECT 4, 'd', 'z' UNION ALL SELECT 2, NULL, 'x') s ON t.id = s.id AND t.p = s.p WHEN MATCHED AND s.v IS NULL THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

-- 3
statement
UPDATE t SET v = concat(v, '+') WHERE id IN (1, 3)

-- 4, 7 goes, 1 has other values, 5 is new.
statement
INSERT OVERWRITE t PARTITION (p = 'x') VALUES (5, 'e'), (1, 'one')

-- 5
statement
ALTER TABLE t DROP PARTITION (p = 'y')

-- 6
statement
TRUNCATE TABLE t

query
SELECT * FROM hudilite_changes('t', 'earliest', '{instant 1 of t}') ORDER BY id

query
SELECT * FROM hudilite_changes('t', '{instant 1 of t}', '{instant 2 of t}') ORDER BY id, _change_type DESC

query
SELECT * FROM hudilite_changes('t', '{instant 2 of t}', '{instant 3 of t}') ORDER BY id, _change_type DESC

query
SELECT * FROM hudilite_changes('t', '{instant 3 of t}', '{instant 4 of t}') ORDER BY id, _change_type DESC

query
SELECT * FROM hudilite_changes('t', '{instant 4 of t}') ORDER BY _commit_instant, id

query
SELECT id, _change_type, v FROM hudilite_changes('t', 'earliest') WHERE id = 1 ORDER BY _commit_instant, _change_type DESC

query
SELECT _change_type, count(*) FROM hudilite_changes('t', 'earliest') GROUP BY ALL ORDER BY 1

query
SELECT * FROM hudilite_changes('t', '{instant 6 of t}')

query
SELECT * FROM hudilite_changes('hudilite.`{folder}/db/t`', '{instant 2 of t}', '{instant 3 of t}') WHERE _change_type = 'update_postimage' ORDER BY id

-- Changes are a source like any other.
statement
CREATE TABLE copied (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
MERGE INTO copied t USING (SELECT * FROM hudilite_changes('t', 'earliest', '{instant 1 of t}')) s ON t.id = s.id AND t.p = s.p WHEN NOT MATCHED THEN INSERT (id, v, p) VALUES (s.id, s.v, s.p)

query
SELECT * FROM copied ORDER BY id

-- A key of all partitions that moves is gone in one and new in the other.
statement
CREATE TABLE g (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) TBLPROPERTIES ('hudilite.index.global' = 'true')

statement
INSERT INTO g VALUES (1, 'a', 'x'), (2, 'b', 'x')

statement
UPDATE g SET p = 'y' WHERE id = 1

query
SELECT * FROM hudilite_changes('g', '{instant 1 of g}') ORDER BY id, _change_type

-- Without buckets, an overwrite hides file groups; their rows are compared with those of the new ones.
statement
CREATE TABLE b (id INT, v STRING, PRIMARY KEY (id)) USING hudilite

statement
INSERT INTO b VALUES (1, 'a'), (2, 'b')

statement
INSERT OVERWRITE b VALUES (1, 'one'), (3, 'c')

query
SELECT * FROM hudilite_changes('b', '{instant 1 of b}') ORDER BY id, _change_type DESC

-- What cannot be asked.
query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM hudilite_changes('t', '{instant 3 of t}', '{instant 2 of t}')

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM hudilite_changes('t', '20240101000000000')

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM hudilite_changes('t', 'earliest', 'latest-ish')

query expect_error(HUDILITE_ARGUMENT_INVALID)
SELECT * FROM hudilite_changes('t')

query expect_error(HUDILITE_ARGUMENT_INVALID)
SELECT * FROM hudilite_changes('t', NULL)

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
SELECT * FROM hudilite_changes('no_such', 'earliest')

statement
CREATE TEMPORARY VIEW plain AS SELECT 1 id

query expect_error(HUDILITE_ARGUMENT_INVALID)
SELECT * FROM hudilite_changes('plain', 'earliest')

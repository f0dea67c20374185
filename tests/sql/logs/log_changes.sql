-- Hand: hudilite_changes is hudilite's own function
-- Changes of a merge-on-read table, with and without log files.
statement
CREATE TABLE t (id INT, v STRING, ts INT, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1 TBLPROPERTIES (type = 'mor', preCombineField = 'ts')

-- 1
statement
INSERT INTO t VALUES (1, 'a', 1, 'x'), (2, 'b', 1, 'x'), (3, 'c', 5, 'y'), (4, 'd', 1, 'x')

-- 2, a log file; 2 goes, 5 is new.
statement
MERGE INTO t USING (SELECT 1 id, 'A' v, 2 ts, 'x' p UNION ALL SELECT 2, NULL, 2, 'x' UNION ALL SELECT 5, 'e', 2, 'z') s ON t.id = s.id AND t.p = s.p WHEN MATCHED AND s.v IS NULL THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

-- 3, a row that loses to the base changes nothing, and 4 changes.
statement
MERGE INTO t USING (SELECT 3 id, 'late' v, 4 ts, 'y' p UNION ALL SELECT 4, 'D', 4, 'x') s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

-- 4
statement
DELETE FROM t WHERE id = 1

-- 5, new base files, in which nothing changes.
statement
CALL compact(table => 't')

-- 6, over the new base.
statement
UPDATE t SET v = concat(v, '+'), ts = ts + 1 WHERE id IN (3, 4)

-- 7, 1 comes again, 4 goes.
statement
INSERT OVERWRITE t PARTITION (p = 'x') VALUES (1, 'one', 9)

query
SELECT * FROM hudilite_changes('t', 'earliest', '{instant 1 of t}') ORDER BY id

query
SELECT * FROM hudilite_changes('t', '{instant 1 of t}', '{instant 2 of t}') ORDER BY id, _change_type DESC

query
SELECT * FROM hudilite_changes('t', '{instant 2 of t}', '{instant 3 of t}') ORDER BY id, _change_type DESC

query
SELECT * FROM hudilite_changes('t', '{instant 3 of t}', '{instant 5 of t}') ORDER BY id, _change_type DESC

query
SELECT * FROM hudilite_changes('t', '{instant 5 of t}') ORDER BY _commit_instant, id, _change_type DESC

query
SELECT _change_type, count(*), count(DISTINCT _commit_instant) FROM hudilite_changes('t', 'earliest') GROUP BY ALL ORDER BY 1

-- The table becomes copy-on-write: the changes stay.
query
CALL set_table_type(table => 't', type => 'cow')

statement
UPDATE t SET v = 'last', ts = 10 WHERE id = 1

query
SELECT _change_type, count(*), count(DISTINCT _commit_instant) FROM hudilite_changes('t', 'earliest') GROUP BY ALL ORDER BY 1

query
SELECT id, v, _change_type FROM hudilite_changes('t', '{instant 3 of t}') WHERE p = 'x' ORDER BY _commit_instant, id, _change_type DESC

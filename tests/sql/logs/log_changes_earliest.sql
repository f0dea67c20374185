-- Hand: hudilite_changes is hudilite's own function
-- The earliest changes of a merge-on-read table whose first commits are archived or cleaned.
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (type = 'mor')

statement
INSERT INTO t VALUES (1, 'a'), (2, 'a'), (3, 'a')

statement
UPDATE t SET v = 'b' WHERE id = 1

statement
DELETE FROM t WHERE id = 2

statement
UPDATE t SET v = 'c' WHERE id = 1

statement
CALL archive(table => 't', keep_min => 1, keep_max => 2)

-- The log files before the earliest state are read, those after it are not.
query
SELECT * FROM hudilite_changes('t', 'earliest') ORDER BY _commit_instant, id, _change_type DESC

query
CALL compact(table => 't')

statement
UPDATE t SET v = 'd' WHERE id = 3

query
SELECT * FROM hudilite_changes('t', 'earliest') ORDER BY _commit_instant, id, _change_type DESC

statement
CALL clean(table => 't', retain_commits => 1, retain_hours => 0, allow_short_retention => true)

query
SELECT * FROM hudilite_changes('t', 'earliest') ORDER BY _commit_instant, id, _change_type DESC

-- A compaction changes no row: the files that it merged need not be there.
query
SELECT * FROM hudilite_changes('t', '{instant 1 of t}') ORDER BY _commit_instant, id, _change_type DESC

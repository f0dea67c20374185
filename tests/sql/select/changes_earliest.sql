-- Hand: hudilite_changes is hudilite's own function
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1

-- 1
statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'a', 'x'), (3, 'a', 'y')

-- 2
statement
UPDATE t SET v = 'b' WHERE id = 1 AND p = 'x'

-- 3
statement
UPDATE t SET v = 'c' WHERE id = 1 AND p = 'x'

-- 4
statement
DELETE FROM t WHERE id = 2 AND p = 'x'

-- 5
statement
UPDATE t SET v = 'd' WHERE id = 1 AND p = 'x'

query
SELECT * FROM hudilite_changes('t', 'earliest') ORDER BY _commit_instant, id, _change_type DESC

-- A clean deletes files that the first changes need: the rows of the earliest state that is left come first, as inserts.
statement
CALL clean(table => 't', retain_commits => 3, retain_hours => 0, allow_short_retention => true)

query
SELECT * FROM hudilite_changes('t', 'earliest') ORDER BY _commit_instant, id, _change_type DESC

query
SELECT * FROM hudilite_changes('t', 'earliest', '{instant 3 of t}') ORDER BY id

query expect_error(HUDILITE_SNAPSHOT_EXPIRED)
SELECT * FROM hudilite_changes('t', 'earliest', '{instant 1 of t}')

query
SELECT * FROM hudilite_changes('t', '{instant 3 of t}') ORDER BY _commit_instant, id, _change_type DESC

-- The error names the first instant.
query expect_error(HUDILITE_CHANGES_EXPIRED)
SELECT * FROM hudilite_changes('t', '{instant 1 of t}')

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM table_changes('t', 2)

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM table_changes('t', 0)

query
SELECT id, v, _change_type, _commit_version FROM table_changes('t', 4) ORDER BY _commit_version, id, _change_type DESC

-- So it is after an archival.
statement
CALL archive(table => 't', keep_min => 1, keep_max => 2)

query
SELECT * FROM hudilite_changes('t', 'earliest') ORDER BY _commit_instant, id, _change_type DESC

query expect_error(HUDILITE_CHANGES_EXPIRED)
SELECT * FROM hudilite_changes('t', '20200101000000000')

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM hudilite_changes('t', '29990101000000000')

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM table_changes('t', 0)

-- What is told makes a copy that is the same.
statement
CREATE TABLE copied (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1

statement
MERGE INTO copied t USING (SELECT id, p, max_by(struct(v, _change_type AS kind), _commit_instant) AS last FROM hudilite_changes('t', 'earliest') WHERE _change_type <> 'update_preimage' GROUP BY id, p) s ON t.id = s.id AND t.p = s.p WHEN NOT MATCHED AND s.last.kind <> 'delete' THEN INSERT (id, v, p) VALUES (s.id, s.last.v, s.p)

query
SELECT * FROM copied EXCEPT SELECT * FROM t

query
SELECT * FROM t EXCEPT SELECT * FROM copied

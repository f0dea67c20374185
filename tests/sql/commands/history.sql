-- Hand: versions are commit numbers, which Delta counts from 0
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

query
DESCRIBE HISTORY t

statement
INSERT INTO t VALUES (1, 'a'), (2, 'b')

statement
UPDATE t SET v = 'c' WHERE id = 1

statement
DELETE FROM t WHERE id = 2

statement
CALL clean(table => 't', retain_commits => 1, retain_hours => 0, allow_short_retention => true)

query
DESCRIBE HISTORY t

query
DESC HISTORY t LIMIT 1

query
DESCRIBE HISTORY hudilite.`{folder}/db/t` LIMIT 1

query
DESCRIBE HISTORY '{folder}/db/t' LIMIT 1

query
SELECT * FROM t VERSION AS OF 3 ORDER BY id

query expect_error(HUDILITE_ARGUMENT_INVALID)
DESCRIBE HISTORY t LIMIT 0

-- Neither a table of this name, nor a table `history` with such a column.
query expect_error(TABLE_OR_VIEW_NOT_FOUND)
DESCRIBE HISTORY nowhere

-- A table with the name `history`, and its column.
statement
CREATE TABLE history (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

query
DESCRIBE history v

query
DESCRIBE HISTORY history

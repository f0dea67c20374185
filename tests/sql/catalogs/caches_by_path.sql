-- Faults: F28
-- Hand: the path of a table of hudilite
-- A cached table shows writes that name the table by its path, and a restore.
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 LOCATION '{folder}/t'

statement
INSERT INTO t VALUES (1, 'a')

statement
CACHE TABLE t

query
SELECT * FROM t

statement
INSERT INTO hudilite.`{folder}/t` VALUES (2, 'b')

query
SELECT * FROM t

statement
DELETE FROM hudilite.`{folder}/t` WHERE id = 1

query
SELECT * FROM t

statement
RESTORE TABLE t TO VERSION AS OF 2

query
SELECT * FROM t

statement
UNCACHE TABLE t

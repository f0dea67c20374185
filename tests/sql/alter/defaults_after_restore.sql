-- Hand: RESTORE takes the number of a commit, and Delta does not widen INT without a feature
-- A column keeps its default and comment when a restore takes back a change of its type.
statement
CREATE TABLE t (id INT, n INT DEFAULT 7 COMMENT 'count', PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO t (id) VALUES (1)

statement
ALTER TABLE t ALTER COLUMN n TYPE BIGINT

statement
INSERT INTO t (id) VALUES (2)

statement
RESTORE TABLE t TO VERSION AS OF 1

statement
INSERT INTO t (id) VALUES (3)

query
SELECT * FROM t

query
DESCRIBE t

statement
ALTER TABLE t ALTER COLUMN n TYPE BIGINT

statement
INSERT INTO t (id) VALUES (4)

query
SELECT * FROM t

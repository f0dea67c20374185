-- A new column stands at the end; rows that are there hold null in it.
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 PARTITIONED BY (p)

statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y')

statement
ALTER TABLE t ADD COLUMN n BIGINT COMMENT 'how many'

query
SELECT * FROM t

statement
INSERT INTO t VALUES (4, 'd', 'y', 40)

query
MERGE INTO t USING (SELECT 1 id, 'A' v, 'x' p, 10L n UNION ALL SELECT 5, 'e', 'x', 50L) s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

query
SELECT id FROM t WHERE n IS NULL

query
SELECT id FROM t WHERE n >= 40

-- Before the first commit, several at once, and nested ones.
statement
CREATE TABLE empty (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
ALTER TABLE empty ADD COLUMNS (small SMALLINT COMMENT 'kept as declared', s STRUCT<a: INT, b: ARRAY<STRING>>, d DECIMAL(20, 4))

query
DESCRIBE empty

statement
INSERT INTO empty VALUES (1, 7, named_struct('a', 1, 'b', array('x', NULL)), 1.5)

query
SELECT * FROM empty

-- The timeline shows the change of columns as a commit without files.
query
SELECT count(*) FROM empty WHERE small = 7

statement
ALTER TABLE t ALTER COLUMN v COMMENT 'a letter'

statement
COMMENT ON TABLE t IS 'letters'

statement
ALTER TABLE t CHANGE COLUMN id COMMENT "the key's own"

query
DESCRIBE t

query
SHOW TBLPROPERTIES t

-- What is not there is refused by name.
statement expect_error(FIELD_ALREADY_EXISTS)
ALTER TABLE t ADD COLUMN v INT

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t ADD COLUMN w INT DEFAULT 5

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t ADD COLUMN w INT NOT NULL

statement expect_error(HUDILITE_INVALID_NAME)
ALTER TABLE t ADD COLUMN `odd name` INT

statement expect_error(HUDILITE_INVALID_NAME)
ALTER TABLE t ADD COLUMN _hoodie_commit_time STRING

statement expect_error(HUDILITE_UNSUPPORTED_TYPE)
ALTER TABLE t ADD COLUMN w VARIANT

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t ALTER COLUMN n TYPE DECIMAL(30, 0)

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t ALTER COLUMN id DROP NOT NULL

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t REPLACE COLUMNS (id INT)

query
SELECT * FROM t

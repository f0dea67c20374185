-- CHECK constraints: every statement that writes rows compares them with the conditions; a row that
-- makes one false fails the statement, and no row changes.
statement
CREATE TABLE t (id INT, v INT, w STRING, p STRING, PRIMARY KEY (id, p), CONSTRAINT positive CHECK (v > 0)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 1, 'a', 'x'), (2, NULL, 'b', 'x'), (3, 3, 'c', 'y')

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO t VALUES (4, 4, 'd', 'x'), (5, 0, 'e', 'x')

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT OVERWRITE t VALUES (5, -1, 'e', 'x')

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
UPDATE t SET v = v - 1 WHERE p = 'x'

statement
UPDATE t SET w = upper(w)

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
MERGE INTO t USING (SELECT 1 id, -1 v, 'm' w, 'x' p) s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
MERGE INTO t USING (SELECT 9 id, -1 v, 'm' w, 'x' p) s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
MERGE INTO t USING (SELECT 9 id, 1 v, 'm' w, 'x' p) s ON t.id = s.id AND t.p = s.p WHEN NOT MATCHED BY SOURCE AND t.id = 1 THEN UPDATE SET v = v - v

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
MERGE INTO t USING (SELECT 3 id, 3 v) s ON t.id = s.id AND t.v >= s.v WHEN MATCHED THEN UPDATE SET v = s.v - 3

statement
MERGE INTO t USING (SELECT 9 id, 9 v, 'm' w, 'x' p) s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

-- A new constraint is compared with the rows first.
statement expect_error(NEW_CHECK_CONSTRAINT_VIOLATION)
ALTER TABLE t ADD CONSTRAINT small CHECK (v < 9)

statement
INSERT INTO t VALUES (10, 100, 'a', 'z')

statement
DELETE FROM t WHERE v = 9

statement expect_error(NEW_CHECK_CONSTRAINT_VIOLATION)
ALTER TABLE t ADD CONSTRAINT small CHECK (v < 9)

statement
DELETE FROM t WHERE v > 9

statement
ALTER TABLE t ADD CONSTRAINT small CHECK (v < 9 AND length(w) < 3)

statement expect_error(CONSTRAINT_ALREADY_EXISTS)
ALTER TABLE t ADD CONSTRAINT SMALL CHECK (v < 10)

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO t VALUES (11, 1, 'long', 'x')

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
UPDATE t SET w = 'long' WHERE id = 1

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
UPDATE t SET w = (SELECT max(w) || 'onger' FROM t) WHERE id = 1

-- Columns of a constraint stay.
statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t DROP COLUMN w

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t RENAME COLUMN v TO u

query
SHOW CREATE TABLE t

statement
ALTER TABLE t DROP CONSTRAINT small

statement
ALTER TABLE t DROP CONSTRAINT IF EXISTS small

statement expect_error(CONSTRAINT_DOES_NOT_EXIST)
ALTER TABLE t DROP CONSTRAINT small

statement
INSERT INTO t VALUES (11, 11, 'long', 'x')

-- A value that is NULL in the statement is compared, too.
statement
CREATE TABLE given (id INT, v INT, w INT, PRIMARY KEY (id), CONSTRAINT set CHECK (coalesce(v, w, 0) > 0)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO given VALUES (1, 1, NULL)

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
UPDATE given SET v = NULL

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
MERGE INTO given USING (SELECT 1 id) s ON given.id = s.id WHEN MATCHED THEN UPDATE SET v = NULL

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
MERGE INTO given USING (SELECT 2 id) s ON given.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO given (id) VALUES (2)

query
SELECT * FROM given

-- A condition that no statement could compare rows with.
statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
ALTER TABLE given ADD CONSTRAINT c CHECK (given.v > 0)

statement
CREATE TABLE deep (id INT, s STRUCT<f: INT>, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
ALTER TABLE deep ADD CONSTRAINT c CHECK (deep.s.f > 0)

-- REPLACE TABLE states the constraints, and LIKE copies them.
statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, v INT, w STRING, p STRING, PRIMARY KEY (id, p)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
CREATE OR REPLACE TABLE t USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id,p') AS SELECT 1 id, 0 v, 'a' w, 'x' p

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO t REPLACE WHERE id = 1 SELECT 1, 0, 'a', 'x'

statement
CREATE TABLE alike LIKE t

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO alike VALUES (1, 0, 'a', 'x')

-- Other constraints, and conditions that no row can be compared with.
statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE u (id INT, v INT, CONSTRAINT single UNIQUE (v), PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t ADD CONSTRAINT one UNIQUE (v)

statement expect_error(NON_DETERMINISTIC_CHECK_CONSTRAINT)
CREATE TABLE u (id INT, v DOUBLE, PRIMARY KEY (id), CHECK (v > rand())) USING hudilite WITH BUCKETS 2

statement expect_error(UNRESOLVED_COLUMN.WITH_SUGGESTION)
ALTER TABLE t ADD CONSTRAINT c CHECK (nothing > 0)

query
SELECT * FROM t
-- Hand: rows of Spark that no violated statement changed

-- Hand: declarations and errors
-- Generated columns as CREATE TABLE declares them, and as they are shown.
statement
CREATE TABLE t (id INT, at TIMESTAMP, s STRUCT<a: INT>, day DATE GENERATED ALWAYS AS (CAST(at AS DATE)) COMMENT 'of at', twice BIGINT GENERATED ALWAYS AS (s.a * 2), PRIMARY KEY (id)) USING hudilite PARTITIONED BY (day) WITH BUCKETS 2

query
SHOW CREATE TABLE t

query
DESCRIBE t

query
DESCRIBE EXTENDED t

-- LIKE copies them, and a table of another format gets plain columns.
statement
CREATE TABLE alike LIKE t

statement
INSERT INTO alike (id, at, s) VALUES (1, TIMESTAMP'2024-01-01 10:00:00', named_struct('a', 4))

query
SELECT * FROM alike

statement
CREATE TABLE plain LIKE t USING parquet

query
SELECT * FROM plain

-- A table of the rows of another has plain columns, too.
statement
CREATE TABLE chosen USING hudilite TBLPROPERTIES (primaryKey = 'id') AS SELECT * FROM alike

query
SHOW CREATE TABLE chosen

-- DEFAULT computes the value again, NULL is a value.
statement
UPDATE alike SET s.a = 6, twice = DEFAULT

statement
MERGE INTO alike USING (SELECT 1 id UNION ALL SELECT 7) s ON alike.id = s.id WHEN MATCHED THEN UPDATE SET twice = DEFAULT WHEN NOT MATCHED THEN INSERT (id, twice) VALUES (s.id, DEFAULT)

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
UPDATE alike SET s.a = 6, twice = NULL WHERE id = 1

query
SELECT * FROM alike

-- Columns that an expression reads stay as they are.
statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t DROP COLUMN at

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t RENAME COLUMN at TO moment

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t ALTER COLUMN s.a TYPE BIGINT

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t ALTER COLUMN twice SET DEFAULT 1

statement
ALTER TABLE alike RENAME COLUMN twice TO doubled

statement
INSERT INTO alike (id, at, s) VALUES (2, NULL, NULL), (3, NULL, named_struct('a', 5))

query
SELECT * FROM alike

statement
ALTER TABLE alike DROP COLUMN doubled

statement
ALTER TABLE alike RENAME COLUMN s TO t

query
SHOW CREATE TABLE alike

-- REPLACE TABLE states the expressions.
statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, at TIMESTAMP, s STRUCT<a: INT>, day DATE GENERATED ALWAYS AS (CAST(at AS DATE)), twice BIGINT GENERATED ALWAYS AS (s.a * 3), PRIMARY KEY (id)) USING hudilite PARTITIONED BY (day) WITH BUCKETS 2

statement
CREATE OR REPLACE TABLE t (id INT, at TIMESTAMP, s STRUCT<a: INT>, day DATE GENERATED ALWAYS AS (CAST(at AS DATE)), twice BIGINT GENERATED ALWAYS AS (s.a * 2), PRIMARY KEY (id)) USING hudilite PARTITIONED BY (day) WITH BUCKETS 2

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
CREATE OR REPLACE TABLE t USING hudilite PARTITIONED BY (day) WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id') AS SELECT 1 id, TIMESTAMP'2024-01-01 10:00:00' at, named_struct('a', 4) s, DATE'2024-01-02' day, 8L twice

-- Expressions with another value at another time or place, or with none for a row.
statement expect_error(UNSUPPORTED_EXPRESSION_GENERATED_COLUMN)
CREATE TABLE u (id INT, v INT GENERATED ALWAYS AS (v + 1), PRIMARY KEY (id)) USING hudilite

statement expect_error(UNSUPPORTED_EXPRESSION_GENERATED_COLUMN)
CREATE TABLE u (id INT, v INT GENERATED ALWAYS AS (id + 1), w INT GENERATED ALWAYS AS (v + 1), PRIMARY KEY (id)) USING hudilite

statement expect_error(UNSUPPORTED_EXPRESSION_GENERATED_COLUMN)
CREATE TABLE u (id INT, v DOUBLE GENERATED ALWAYS AS (rand()), PRIMARY KEY (id)) USING hudilite

statement expect_error(UNSUPPORTED_EXPRESSION_GENERATED_COLUMN)
CREATE TABLE u (id INT, v DATE GENERATED ALWAYS AS (current_date()), PRIMARY KEY (id)) USING hudilite

statement expect_error(UNSUPPORTED_EXPRESSION_GENERATED_COLUMN)
CREATE TABLE u (id INT, v STRING GENERATED ALWAYS AS (current_user()), PRIMARY KEY (id)) USING hudilite

statement expect_error(UNSUPPORTED_EXPRESSION_GENERATED_COLUMN)
CREATE TABLE u (id INT, v BIGINT GENERATED ALWAYS AS (sum(id)), PRIMARY KEY (id)) USING hudilite

statement expect_error(UNSUPPORTED_EXPRESSION_GENERATED_COLUMN)
CREATE TABLE u (id INT, v INT GENERATED ALWAYS AS (row_number() OVER (ORDER BY id)), PRIMARY KEY (id)) USING hudilite

statement expect_error(UNSUPPORTED_EXPRESSION_GENERATED_COLUMN)
CREATE TABLE u (id INT, v INT GENERATED ALWAYS AS (explode(array(id))), PRIMARY KEY (id)) USING hudilite

statement expect_error(UNSUPPORTED_EXPRESSION_GENERATED_COLUMN)
CREATE TABLE u (id INT, v INT GENERATED ALWAYS AS ((SELECT 1)), PRIMARY KEY (id)) USING hudilite

statement expect_error(UNSUPPORTED_EXPRESSION_GENERATED_COLUMN)
CREATE TABLE u (id INT, v INT GENERATED ALWAYS AS (my_own(id)), PRIMARY KEY (id)) USING hudilite

statement expect_error(UNSUPPORTED_EXPRESSION_GENERATED_COLUMN)
CREATE TABLE u (id INT, v INT GENERATED ALWAYS AS (id * 2L), PRIMARY KEY (id)) USING hudilite

statement expect_error(UNSUPPORTED_EXPRESSION_GENERATED_COLUMN)
CREATE TABLE u (id INT, v MAP<STRING, INT> GENERATED ALWAYS AS (map('a', id)), PRIMARY KEY (id)) USING hudilite

statement expect_error(UNRESOLVED_COLUMN.WITH_SUGGESTION)
CREATE TABLE u (id INT, v INT GENERATED ALWAYS AS (nothing + 1), PRIMARY KEY (id)) USING hudilite

statement expect_error(GENERATED_COLUMN_WITH_DEFAULT_VALUE)
CREATE TABLE u (id INT, v INT DEFAULT 1 GENERATED ALWAYS AS (id), PRIMARY KEY (id)) USING hudilite

-- Columns that hudilite needs before it computes a row.
statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE u (a INT, id INT GENERATED ALWAYS AS (a + 1), PRIMARY KEY (id)) USING hudilite

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE u (id INT, v INT GENERATED ALWAYS AS (id + 1), PRIMARY KEY (id)) USING hudilite TBLPROPERTIES (preCombineField = 'v')

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE u (id INT, v INT NOT NULL GENERATED ALWAYS AS (id + 1), PRIMARY KEY (id)) USING hudilite

-- A table that is there gets no generated columns.
statement
CREATE TABLE placed (id INT, v INT, PRIMARY KEY (id)) USING hudilite LOCATION '{folder}/placed'

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE again (id INT, v INT GENERATED ALWAYS AS (id + 1), PRIMARY KEY (id)) USING hudilite LOCATION '{folder}/placed'

query
SHOW TABLES

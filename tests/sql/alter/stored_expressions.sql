-- Hand: the expressions are hudilite's to store
-- What a table stores as text, CHECK conditions and generated columns, means the same whatever a session says about backslashes and
-- quotes. Both kinds of session declare and write.
statement
CREATE TABLE quoted (id INT, v STRING, d DATE, n INT GENERATED ALWAYS AS (length('"\\' || v)), PRIMARY KEY (id), CONSTRAINT c CHECK (NOT v RLIKE '^\\d+$' AND v <> '"' AND d > DATE '2024-01-01')) USING hudilite WITH BUCKETS 1

statement
INSERT INTO quoted (id, v, d) VALUES (1, '"x', DATE '2024-01-02')

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO quoted (id, v) VALUES (2, '12')

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
UPDATE quoted SET v = '"'

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
UPDATE quoted SET n = 3

query
SELECT * FROM quoted

statement
CREATE TABLE plain (id INT, v STRING, g INT GENERATED ALWAYS AS (length('\\' || v || '\'')), PRIMARY KEY (id), CONSTRAINT c CHECK (v <> 'a\\b' AND v <> 'it\'s')) USING hudilite WITH BUCKETS 1

statement
INSERT INTO plain (id, v) VALUES (1, 'x')

statement
SET spark.sql.parser.escapedStringLiterals = true

-- The text a\b, one backslash.
statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO plain (id, v) VALUES (2, 'a\b')

statement
INSERT INTO plain (id, v) VALUES (3, 'a\\b')

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO plain (id, v) VALUES (4, "it's")

statement
CREATE TABLE escaped (id INT, v STRING, g STRING GENERATED ALWAYS AS ('😀\n' || v), PRIMARY KEY (id), CONSTRAINT e CHECK (v <> '😀\t' AND v <> '12\n')) USING hudilite WITH BUCKETS 1

statement
ALTER TABLE escaped ADD CONSTRAINT later CHECK (v <> 'b\t')

statement
INSERT INTO escaped (id, v) VALUES (1, 'b	')

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO escaped (id, v) VALUES (2, 'b\t')

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO escaped (id, v) VALUES (3, '12\n')

statement
CREATE TABLE likewise LIKE plain

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO likewise (id, v) VALUES (2, 'a\b')

statement
INSERT INTO likewise (id, v) VALUES (3, 'a\\b')

query
SELECT id, length(v), g FROM plain ORDER BY id

query
SELECT id, length(v), length(g) FROM escaped ORDER BY id

query
SELECT id, length(v), g FROM likewise ORDER BY id

statement
SET spark.sql.parser.escapedStringLiterals = false

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO escaped (id, v) VALUES (2, 'b\\t')

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO escaped (id, v) VALUES (3, '12\\n')

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
UPDATE escaped SET v = '😀\\t'

statement
INSERT INTO escaped (id, v) VALUES (2, '\\d')

query
SELECT * FROM escaped ORDER BY id

query
SHOW CREATE TABLE escaped

query
SHOW CREATE TABLE likewise

-- Names in double quotes.
statement
SET spark.sql.ansi.doubleQuotedIdentifiers = true

statement
CREATE TABLE named ("id" INT, "order" INT, "g" INT GENERATED ALWAYS AS ("order" + 1), PRIMARY KEY ("id"), CONSTRAINT c CHECK ("order" > 0 AND '"' <> 'x')) USING hudilite WITH BUCKETS 1

statement
ALTER TABLE named ADD CONSTRAINT d CHECK ("order" < 9)

statement
INSERT INTO named ("id", "order") VALUES (1, 5)

statement
SET spark.sql.ansi.doubleQuotedIdentifiers = false

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO named (id, `order`) VALUES (2, 0)

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT INTO named (id, `order`) VALUES (2, 9)

statement
INSERT INTO named (id, `order`) VALUES (2, 8)

query
SELECT * FROM named

query
SHOW CREATE TABLE named

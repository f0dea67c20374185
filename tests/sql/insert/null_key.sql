-- Faults: F76
statement
CREATE TABLE one (id STRING, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO one VALUES ('a', 1)

statement expect_error(HUDILITE_NULL_KEY)
INSERT INTO one VALUES ('b', 2), (NULL, 3)

statement expect_error(HUDILITE_NULL_KEY)
INSERT INTO one SELECT CASE WHEN id < 5 THEN CAST(id AS STRING) END, 1 FROM range(10)

-- Hudi cannot store an empty text as the whole key.
statement expect_error(HUDILITE_NULL_KEY)
INSERT INTO one VALUES ('', 3)

query
SELECT * FROM one

statement
CREATE TABLE two (a STRING, b INT, v INT, PRIMARY KEY (a, b)) USING hudilite WITH BUCKETS 2

statement expect_error(HUDILITE_NULL_KEY)
INSERT INTO two VALUES ('a', NULL, 1)

statement expect_error(HUDILITE_NULL_KEY)
INSERT INTO two VALUES (NULL, 1, 1)

-- An empty string is a value in a composite key.
statement
INSERT INTO two VALUES ('', 1, 1)

query
SELECT *, _hoodie_record_key FROM two

query
SELECT * FROM two WHERE a = '' AND b = 1

-- Hand: OPTIMIZE returns other columns than Delta
-- Config: spark.sql.parser.escapedStringLiterals=true
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1 TBLPROPERTIES (type = 'mor')

-- A backslash is a character, in each text and in the texts within.
statement
INSERT INTO t VALUES (1, 'a', 'x\n'), (2, 'b', 'y'), (3, 'c', 'z')

query
SELECT id, length(p) FROM t ORDER BY id

statement
UPDATE t SET v = 'e'

query
OPTIMIZE t WHERE p = 'x\n'

query
SELECT partition, path LIKE '%.log%' AS is_log, count(*) FROM t.files GROUP BY 1, 2 ORDER BY 1, 2

query
OPTIMIZE t WHERE p RLIKE '^\n*y$'

query
SELECT partition, path LIKE '%.log%' AS is_log, count(*) FROM t.files GROUP BY 1, 2 ORDER BY 1, 2

query
CALL compact(table => 't', where => "p RLIKE '^\n*z$'")

query
SELECT * FROM t ORDER BY id

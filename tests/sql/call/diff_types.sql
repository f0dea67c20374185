-- Hand: procedures are hudilite's own
-- Config: spark.sql.session.timeZone=UTC
statement
CREATE TABLE t (k STRING, i INT, d DOUBLE, f FLOAT, n DECIMAL(10, 2), b BINARY, ts TIMESTAMP, day DATE, m MAP<STRING, STRUCT<x: INT, y: MAP<STRING, INT>>>, a ARRAY<MAP<STRING, DOUBLE>>, r STRUCT<x: INT, y: ARRAY<STRING>>, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t
SELECT k, 1, CAST('NaN' AS DOUBLE), CAST(0 AS FLOAT), 1.10, X'00FF', TIMESTAMP '2026-01-01 00:00:00.000001', DATE '2026-01-01', map('p', named_struct('x', 1, 'y', map('u', 1, 'v', 2)), 'q', NULL), array(map('z', CAST('NaN' AS DOUBLE)), NULL), named_struct('x', 1, 'y', array('a', NULL)) FROM VALUES ('same'), ('i'), ('d'), ('f'), ('n'), ('b'), ('ts'), ('day'), ('m'), ('a'), ('r'), ('nulls'), ('to null') AS keys(k)

statement
UPDATE t SET i = NULL, d = NULL, f = NULL, n = NULL, b = NULL, ts = NULL, day = NULL, m = NULL, a = NULL, r = NULL WHERE k = 'nulls'

-- Other values of the same meaning: maps in another order, 0.0 and -0.0, NaN.
statement
CREATE TABLE s (k STRING, i INT, d DOUBLE, f FLOAT, n DECIMAL(10, 2), b BINARY, ts TIMESTAMP, day DATE, m MAP<STRING, STRUCT<x: INT, y: MAP<STRING, INT>>>, a ARRAY<MAP<STRING, DOUBLE>>, r STRUCT<x: INT, y: ARRAY<STRING>>, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO s SELECT k, i, d, -f, n, b, ts, day, if(m IS NULL, m, map('q', NULL, 'p', named_struct('x', 1, 'y', map('v', 2, 'u', 1)))), a, r FROM t

query
CALL diff(table => 's', other => 't')

-- One value of each row.
statement
UPDATE s SET i = 2 WHERE k = 'i'

statement
UPDATE s SET d = 1 WHERE k = 'd'

statement
UPDATE s SET f = CAST('NaN' AS FLOAT) WHERE k = 'f'

statement
UPDATE s SET n = 1.11 WHERE k = 'n'

statement
UPDATE s SET b = X'00FE' WHERE k = 'b'

statement
UPDATE s SET ts = TIMESTAMP '2026-01-01 00:00:00.000002' WHERE k = 'ts'

statement
UPDATE s SET day = DATE '2026-01-02' WHERE k = 'day'

statement
UPDATE s SET m = map('p', named_struct('x', 1, 'y', map('u', 1, 'v', 3)), 'q', NULL) WHERE k = 'm'

statement
UPDATE s SET a = array(map('z', CAST(1 AS DOUBLE)), NULL) WHERE k = 'a'

statement
UPDATE s SET r = named_struct('x', 1, 'y', array('a', 'b')) WHERE k = 'r'

statement
UPDATE s SET n = NULL WHERE k = 'to null'

query
CALL diff(table => 's', other => 't')

query
CALL diff(table => 's', other => 't', rows => true)

query
CALL diff(table => 's', other => 't', columns => 'm, a', rows => true)

-- The same by a join, because the numbers of buckets differ.
statement
CREATE TABLE j (k STRING, i INT, d DOUBLE, f FLOAT, n DECIMAL(10, 2), b BINARY, ts TIMESTAMP, day DATE, m MAP<STRING, STRUCT<x: INT, y: MAP<STRING, INT>>>, a ARRAY<MAP<STRING, DOUBLE>>, r STRUCT<x: INT, y: ARRAY<STRING>>, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 3

statement
INSERT INTO j SELECT * FROM t

query
CALL diff(table => 'j', other => 't')

query
CALL diff(table => 's', other => 'j')

query
CALL diff(table => 's', other => 'j', columns => 'm, a, b, n', rows => true)

-- NULL and 0 in a map are two values, and two NULLs are one.
statement
CREATE TABLE p (k INT, m MAP<STRING, INT>, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 1

statement
CREATE TABLE o (k INT, m MAP<STRING, INT>, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO p VALUES (1, map('a', 7, 'b', NULL)), (2, map('a', 7, 'b', NULL)), (3, map('a', NULL, 'b', 8)), (4, map('a', NULL))

statement
INSERT INTO o VALUES (1, map('b', 0, 'a', 7)), (2, map('b', NULL, 'a', 7)), (3, map('b', 8, 'a', NULL)), (4, map('b', NULL))

query
CALL diff(table => 'p', other => 'o', rows => true)

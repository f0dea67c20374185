-- Hand: Delta parses WITH SCHEMA EVOLUTION of INSERT since Spark 4.2
-- WITH SCHEMA EVOLUTION: fields of structs that only the rows have come with them, in one commit.
statement
CREATE TABLE t (id INT, s STRUCT<x: INT, deep: STRUCT<a: STRING>>, l ARRAY<STRUCT<x: INT>>, m MAP<STRING, STRUCT<x: INT>>, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, STRUCT(1, STRUCT('a')), ARRAY(STRUCT(1)), MAP('k', STRUCT(1))), (2, NULL, NULL, NULL)

-- Not asked for, the error says what to type.
statement expect_error(HUDILITE_COLUMN_UNKNOWN)
INSERT INTO t BY NAME SELECT 3 AS id, STRUCT(3 AS x, STRUCT('c' AS a, 3 AS b) AS deep, 30 AS y) AS s

statement expect_error(HUDILITE_COLUMN_UNKNOWN)
INSERT INTO t SELECT 3, STRUCT(3 AS x, STRUCT('c' AS a) AS deep, 30 AS y), NULL, NULL

statement
EXPLAIN INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 3 AS id, STRUCT(3 AS x, STRUCT('c' AS a, 3 AS b) AS deep, 30 AS y) AS s

query
DESCRIBE t

-- By name, in any order; a list of columns names them, too.
statement
INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT STRUCT(30 AS y, 3 AS x, STRUCT(3 AS b, 'c' AS a) AS deep) AS s, 3 AS id

statement
INSERT WITH SCHEMA EVOLUTION INTO t (l, id) SELECT ARRAY(STRUCT(4 AS x, STRUCT(4 AS z) AS more)), 4

query
SELECT * FROM t

query
DESCRIBE t

-- Fields that the rows lack are NULL by name, also in arrays and maps; by position they are an error.
statement
INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT STRUCT(40 AS y, STRUCT('only' AS a) AS deep) AS s, 10 AS id, MAP('k', NULL) AS m, ARRAY(STRUCT(STRUCT(9 AS z) AS more)) AS l

statement
INSERT WITH SCHEMA EVOLUTION INTO t (id, s) SELECT 12, STRUCT(120 AS y, 12 AS x)

query
SELECT * FROM t WHERE id IN (10, 12)

statement expect_error(INCOMPATIBLE_DATA_FOR_TABLE.STRUCT_MISSING_FIELDS)
INSERT WITH SCHEMA EVOLUTION INTO t SELECT 11, STRUCT(3 AS x), NULL, NULL

statement expect_error(INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_FIND_DATA)
INSERT INTO t BY NAME SELECT 11 AS id, STRUCT(3 AS x) AS s

-- By position, new fields are those after the last one; columns may come with them.
statement
INSERT WITH SCHEMA EVOLUTION INTO t SELECT 5, NULL, NULL, MAP('k', STRUCT(5 AS x, true AS flag)), STRUCT(5 AS p) AS fresh

statement expect_error(INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_STRUCT_FIELDS)
INSERT WITH SCHEMA EVOLUTION INTO t SELECT 6, NULL, NULL, MAP('k', STRUCT(6 AS a, true AS b, 6 AS X)), STRUCT(6 AS p)

query
SELECT id, s.deep.b, l[0].more.z, m['k'].flag, fresh FROM t

query
DESCRIBE t

-- Values keep the types of their fields.
statement expect_error(INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST)
INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 6 AS id, STRUCT('text' AS p, 6 AS q) AS fresh

statement expect_error(HUDILITE_INVALID_NAME)
INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 6 AS id, STRUCT(6 AS p, 6 AS `odd name`) AS fresh

statement expect_error(HUDILITE_UNSUPPORTED_TYPE)
INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 6 AS id, STRUCT(6 AS p, INTERVAL '1' DAY AS span) AS fresh

query
SELECT count(*) AS commits FROM t.history

-- Old rows are rewritten with the new fields; earlier states have the old ones.
statement
UPDATE t SET s.y = 10 WHERE id = 1

query
SELECT id, s FROM t WHERE id < 4

query
SELECT * FROM t VERSION AS OF 1

-- Log files.
statement
CREATE TABLE mor (id INT, s STRUCT<x: INT>, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (type = 'mor')

statement
INSERT INTO mor VALUES (1, STRUCT(1)), (2, STRUCT(2))

statement
SET spark.hudilite.insert.duplicates = update

statement
INSERT WITH SCHEMA EVOLUTION INTO mor SELECT 2, STRUCT(22 AS x, 'two' AS y) UNION ALL SELECT 3, STRUCT(33, 'three')

statement
RESET spark.hudilite.insert.duplicates

query
SELECT id, s.x, s.y FROM mor

query
SELECT s.y FROM mor WHERE s.y = 'two'

-- One value for two columns whose structs have other orders.
statement
CREATE TABLE two (id INT, a STRUCT<x: INT, z: INT>, b STRUCT<z: INT, x: INT>, PRIMARY KEY (id)) USING hudilite

statement
INSERT WITH SCHEMA EVOLUTION INTO two (id, a, b) SELECT 1, s, s FROM (SELECT named_struct('z', 1, 'x', 2) AS s)

query
SELECT * FROM two

-- Hand: returns other columns than Delta
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1 TBLPROPERTIES (type = 'mor')

query
OPTIMIZE t

statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'y')

statement
UPDATE t SET v = 'c'

statement
UPDATE t SET v = 'd' WHERE p = 'x'

query
OPTIMIZE t WHERE p = 'x'

query
SELECT path LIKE '%.log%' AS is_log, count(*) FROM t.files GROUP BY 1 ORDER BY 1

query
RUN COMPACTION ON t

query
OPTIMIZE hudilite.`{folder}/db/t`

query
SELECT * FROM t ORDER BY id

-- A copy-on-write table has nothing to merge.
statement
CREATE TABLE c (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO c VALUES (1, 'a'), (2, 'b'), (3, 'c')

query
OPTIMIZE c

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
OPTIMIZE c WHERE id = 1

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
OPTIMIZE t WHERE v = 'd'

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
OPTIMIZE t WHERE p = 'x' ZORDER BY (v)

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
OPTIMIZE t ZORDER BY v

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
OPTIMIZE t ZORDER BY

-- Without buckets, rows are sorted into new files.
statement
CREATE TABLE z (id INT, v STRING, w INT, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) TBLPROPERTIES (type = 'mor', 'hoodie.parquet.small.file.limit' = '0')

statement
INSERT INTO z VALUES (1, 'a', 9, 'x'), (2, 'b', 8, 'y')

statement
INSERT INTO z VALUES (3, 'c', 7, 'x'), (4, 'd', 6, 'y')

statement
UPDATE z SET v = 'e' WHERE p = 'x'

query
OPTIMIZE z WHERE p = 'x' ZORDER BY (v, `w`)

query
OPTIMIZE z ZORDER BY v

query
OPTIMIZE z ZORDER BY v

query
SELECT * FROM z ORDER BY id

-- Small files are put together, those of a partition in one commit.
statement
INSERT INTO z VALUES (5, 'e', 5, 'x'), (6, 'f', 4, 'x')

query
OPTIMIZE z WHERE p = 'x'

query
OPTIMIZE z

query
SELECT * FROM z ORDER BY id

query expect_error(HUDILITE_ARGUMENT_INVALID)
OPTIMIZE z ZORDER BY (u)

query expect_error(HUDILITE_ARGUMENT_INVALID)
OPTIMIZE z ZORDER BY (`v,w`)

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
OPTIMIZE z WHERE v = 'e' ZORDER BY (v)

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
OPTIMIZE z ZORDER BY v, id DESC

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
OPTIMIZE t FULL

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
OPTIMIZE t IN PARTS

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
SCHEDULE COMPACTION ON t

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
SHOW COMPACTION ON t

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
RUN COMPACTION ON t AT 20240101000000000

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
REORG TABLE t APPLY (PURGE)

query
SELECT * FROM t VERSION AS OF 3 ORDER BY id

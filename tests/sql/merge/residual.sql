-- Hand: Delta takes no sub-query in ON
-- More in ON than the key.
statement
CREATE TABLE t (id INT, p STRING, v STRING, n INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'x', 'a', 1), (2, 'x', 'b', 6), (3, 'y', 'c', 7), (4, 'y', 'd', 8)

statement
CREATE TABLE s (id INT, p STRING, v STRING, n INT, flag BOOLEAN) USING parquet

statement
INSERT INTO s VALUES (1, 'x', 's1', 0, true), (2, 'x', 's2', 0, true), (3, 'y', 's3', 0, true), (4, 'y', 's4', 0, false)

-- Of the target, of the source, and of both.
query
MERGE INTO t USING s ON t.id = s.id AND t.n > 5 AND s.flag AND t.p = 'x' WHEN MATCHED THEN UPDATE SET v = s.v

query
MERGE INTO t USING s ON t.id = s.id AND s.n < t.n AND s.flag WHEN MATCHED THEN UPDATE SET n = t.n + 10

query
SELECT * FROM t ORDER BY id

-- A source row whose key is there, but ON does not hold, is not matched: its insert meets the key.
statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO t USING s ON t.id = s.id AND t.p = s.p AND s.flag WHEN NOT MATCHED THEN INSERT (id, p, v, n) VALUES (s.id, s.p, s.v, s.n)

-- In another partition it is another row, and it may replace one that goes.
query
MERGE INTO t USING s ON t.id = s.id AND s.flag WHEN NOT MATCHED THEN INSERT (id, p, v, n) VALUES (s.id, 'z', s.v, s.n)

query
MERGE INTO t USING s ON t.id = s.id AND t.p = s.p AND s.flag
WHEN NOT MATCHED THEN INSERT (id, p, v, n) VALUES (s.id, s.p, s.v, s.n)
WHEN NOT MATCHED BY SOURCE AND t.p = 'y' THEN DELETE

query
SELECT * FROM t ORDER BY id, p

-- Two source rows of one key, of which ON takes one.
query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'no', 0), (1, 'yes', 1) AS q(id, v, n)) s ON t.id = s.id AND s.n = 1 WHEN MATCHED THEN UPDATE SET v = s.v

query
SELECT * FROM t WHERE id = 1

-- A key compared twice.
query
MERGE INTO t USING s ON t.id = s.id AND t.id = s.n + 2 WHEN MATCHED THEN UPDATE SET v = 'twice'

-- Sub-queries in ON, over the source and over the table.
query
MERGE INTO t USING s ON t.id = s.id AND s.id = (SELECT min(id) FROM s) WHEN MATCHED THEN UPDATE SET v = 'least'

query
MERGE INTO t USING s ON t.id = s.id AND t.n > (SELECT 10) WHEN MATCHED THEN UPDATE SET v = 'large'

-- Sub-queries and changing values in clauses.
query
MERGE INTO t USING s ON t.id = s.id
WHEN MATCHED AND s.id IN (SELECT id FROM s WHERE flag) AND t.p = 'y' THEN UPDATE SET v = (SELECT concat('max ', max(v)) FROM s)
WHEN MATCHED AND EXISTS (SELECT 1 FROM s q WHERE q.n + 4 = t.id) THEN DELETE

query
SELECT * FROM t ORDER BY id, p

query
MERGE INTO t USING s ON t.id = s.id AND t.p = s.p
WHEN MATCHED THEN UPDATE SET v = uuid(), n = (SELECT count(*) FROM s)
WHEN NOT MATCHED THEN INSERT (id, p, v, n) VALUES (s.id, s.p, uuid(), (SELECT max(id) FROM s))

query
SELECT id, p, length(v), n FROM t ORDER BY id, p

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED BY SOURCE AND t.id IN (SELECT id FROM s) THEN DELETE

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = sum(s.n)

statement expect_error(DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN)
MERGE INTO t USING s ON t.id = s.id AND t.id = s.id WHEN MATCHED AND s.n THEN DELETE

-- A CTE and a list of values.
query
WITH q AS (SELECT id, 'cte' v FROM s WHERE flag) MERGE INTO t USING q ON t.id = q.id AND t.p = 'x' WHEN MATCHED THEN UPDATE SET v = q.v

query
MERGE INTO t USING (VALUES (1, 'listed') AS v(id, v)) AS q ON t.id = q.id AND t.p = 'x' WHEN MATCHED THEN UPDATE SET v = q.v

query
SELECT id, p, v FROM t WHERE p = 'x' ORDER BY id

-- Some of two partition columns.
statement
CREATE TABLE deep (id INT, y INT, m INT, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (y, m) WITH BUCKETS 2

statement
INSERT INTO deep VALUES (1, 2023, 1, 'o'), (1, 2023, 2, 'o'), (1, 2024, 1, 'o')

query
MERGE INTO deep t USING (SELECT 1 id, 2023 y, 'n' v) s ON t.id = s.id AND t.y = s.y WHEN MATCHED THEN UPDATE SET v = s.v

query
MERGE INTO deep t USING (SELECT * FROM VALUES (1, 7), (2, 8) AS q(id, m)) s ON t.id = s.id AND t.y = 2024
WHEN MATCHED THEN UPDATE SET v = 'of 2024' WHEN NOT MATCHED THEN INSERT (id, y, m, v) VALUES (s.id, 2023, s.m, 'new')

query
SELECT * FROM deep ORDER BY id, y, m

-- What surrounds a sub-query is computed only for the rows of its clause.
statement
CREATE TABLE q (id INT, n INT, x DOUBLE, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO q VALUES (1, 0, 0), (2, 5, 0)

query
MERGE INTO q USING (SELECT * FROM VALUES (1, 0), (2, 2), (3, 4) AS r(id, n)) s ON q.id = s.id
WHEN MATCHED AND s.n > 0 THEN UPDATE SET x = 10 / s.n + (SELECT 1)
WHEN NOT MATCHED AND 8 / s.n > (SELECT 1) THEN INSERT (id, n, x) VALUES (s.id, s.n, 8 / s.n + (SELECT 1))

query
MERGE INTO q USING (SELECT * FROM VALUES (1, 0), (2, 2), (4, 5) AS r(id, n)) s ON q.id = s.id
WHEN MATCHED AND q.n > (SELECT 1) THEN UPDATE SET x = 10 / q.n + (SELECT 1) + floor(rand())
WHEN NOT MATCHED THEN INSERT (id, n, x) VALUES (s.id, s.n, 10 / s.n + floor(rand()))

query
SELECT * FROM q

-- NOT around IN: a null in the list leaves the condition unknown.
query
MERGE INTO q USING (SELECT 1 id, 9 n) s ON q.id = s.id
WHEN MATCHED AND NOT (q.id > 0 AND s.n IN (SELECT * FROM VALUES (1), (NULL))) THEN UPDATE SET x = -1

query
MERGE INTO q USING (SELECT 1 id, 9 n) s ON q.id = s.id
WHEN MATCHED AND NOT (q.id > 0 AND s.n IN (SELECT 1)) THEN UPDATE SET x = -2

query
SELECT * FROM q WHERE id = 1

-- A value that changes with each call is computed for each row that it is written to.
query
MERGE INTO q USING (SELECT 1 one) s ON q.id > 0 WHEN MATCHED THEN UPDATE SET x = rand()

query
SELECT count(*), count(DISTINCT x) FROM q

query
MERGE INTO q USING (SELECT id FROM q) s ON q.id = s.id WHEN MATCHED THEN UPDATE SET x = 1 + rand()

query
SELECT count(*), count(DISTINCT x), min(x) >= 1 FROM q

-- The error for a value of another type contains it as it was written.
statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
MERGE INTO q USING (SELECT 1 id) s ON q.id = s.id WHEN MATCHED THEN UPDATE SET n = concat('a', uuid())

-- BETWEEN and nullif use a value several times.
statement
CREATE TABLE w (id INT, n INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO w VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c')

query
MERGE INTO w USING (SELECT * FROM VALUES (1, 5), (2, 15), (3, 25) AS r(id, n)) s ON w.id = s.id AND w.n BETWEEN (SELECT 15) AND (SELECT 30)
WHEN MATCHED AND s.n BETWEEN (SELECT 10) AND (SELECT 20) THEN UPDATE SET n = nullif((SELECT 7), s.n)
WHEN MATCHED THEN UPDATE SET n = nullif((SELECT 25), s.n), v = nullif(left(uuid(), 0), 'x')

query
UPDATE w SET v = nullif(left(uuid(), 0), v) WHERE id = 2

query
UPDATE w SET n = 1 WHERE id BETWEEN (SELECT 3) AND (SELECT 4)

query
SELECT * FROM w

-- A branch is evaluated only for the rows that take it.
query
MERGE INTO w USING (SELECT * FROM VALUES (1, 'no'), (2, 'c5d3f4a0-1d5c-4b43-9d1e-6f9d1e0b7a11'), (4, 'no') AS r(id, u)) s ON w.id = s.id
WHEN MATCHED THEN UPDATE SET v = CASE WHEN length(s.u) = 36 THEN reflect('java.util.UUID', 'fromString', s.u) ELSE 'short' END
WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, IF(length(s.u) = 36, reflect('java.util.UUID', 'fromString', s.u), s.u))

query
UPDATE w SET v = CASE WHEN length(v) = 36 THEN reflect('java.util.UUID', 'fromString', v) ELSE v END WHERE id > 1

query
SELECT * FROM w

-- IN as a part of another predicate, over both sides.
query
MERGE INTO w USING (SELECT 1 id, 'x' v UNION ALL SELECT 3, 'y') s ON w.id = s.id
WHEN MATCHED AND (s.v IN (SELECT v FROM w WHERE id = 2 UNION SELECT upper('X'))) = (w.n > 1000) THEN UPDATE SET v = 'both', n = CASE WHEN s.id IN (SELECT 1) THEN w.n + 1 ELSE 0 END

query
SELECT * FROM w

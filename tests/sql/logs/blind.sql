-- Hand: Delta counts what it updates and inserts
-- A MERGE of a merge-on-read table that need not read it: rows whose outcome is not known, and errors.
statement
CREATE TABLE t (id INT, n INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (type = 'mor')

statement
INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c')

-- A clause that fails for a row that it does not apply to: the file group is read.
query
MERGE INTO t USING (SELECT * FROM VALUES (1, 2147483647, 'x') AS q(id, n, v)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT (id, n, v) VALUES (s.id, s.n + 1, s.v)

query
MERGE INTO t USING (SELECT * FROM VALUES (9, 0, 'y') AS q(id, n, v)) s ON t.id = s.id
WHEN MATCHED AND 1 / s.n > 1 THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement expect_error(DIVIDE_BY_ZERO)
MERGE INTO t USING (SELECT * FROM VALUES (2, 0, 'y') AS q(id, n, v)) s ON t.id = s.id
WHEN MATCHED AND 1 / s.n > 1 THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

-- A key that comes twice.
statement expect_error(HUDILITE_MERGE_CARDINALITY)
MERGE INTO t USING (SELECT * FROM VALUES (1, 5, 'x'), (1, 6, 'y') AS q(id, n, v)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO t USING (SELECT * FROM VALUES (7, 5, 'x'), (7, 6, 'y') AS q(id, n, v)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

-- A condition that is NULL: what becomes of the row depends on the table.
query
MERGE INTO t USING (SELECT * FROM VALUES (2, 7, CAST(NULL AS STRING)), (8, 8, NULL) AS q(id, n, v)) s ON t.id = s.id
WHEN MATCHED AND s.v = 'gone' THEN DELETE WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED AND s.v <> 'gone' THEN INSERT *

query
SELECT * FROM t

-- Rows of one key change places: a log file has the row that comes, and does not delete it.
statement
CREATE TABLE w (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1 TBLPROPERTIES (type = 'mor')

statement
INSERT INTO w VALUES (1, 'one', 'x'), (1, 'uno', 'y'), (2, 'two', 'x')

query
UPDATE w SET p = IF(p = 'x', 'y', 'x') WHERE id = 1

query
SELECT * FROM w

query
SELECT partition, count(*) FROM w.files GROUP BY partition

-- An INSERT that may update.
statement
SET spark.hudilite.insert.duplicates = update

statement
INSERT INTO w VALUES (2, 'zwei', 'x'), (3, 'drei', 'x')

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO w VALUES (3, 'one', 'x'), (3, 'other', 'x')

query
SELECT * FROM w

query
SELECT partition, count(*) FROM w.files GROUP BY partition

statement
SET spark.hudilite.insert.duplicates = error

-- With exact counts the keys of the file groups are read.
statement
CREATE TABLE c (id INT, n INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (type = 'mor')

statement
INSERT INTO c VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c')

statement
SET spark.hudilite.write.counts = exact

query
MERGE INTO c USING (SELECT * FROM VALUES (1, 5, 'x'), (2, 6, 'y'), (4, 7, 'z'), (5, 8, 'z') AS q(id, n, v)) s ON c.id = s.id
WHEN MATCHED AND s.n = 6 THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED AND s.n < 8 THEN INSERT *

query
MERGE INTO c USING (SELECT * FROM VALUES (1, 9, 'x'), (2, 9, 'y'), (3, 9, 'z') AS q(id, n, v)) s ON c.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM c

statement
SET spark.hudilite.write.counts = all

statement expect_error(HUDILITE_SETTING_INVALID)
INSERT INTO c VALUES (7, 7, 'g')

statement
SET spark.hudilite.write.counts = known

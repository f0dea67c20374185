-- Hand: the column means something to Hudi alone
-- A true value in Hudi's column `_hoodie_is_deleted` deletes the row that is written.
statement
CREATE TABLE t (id INT, v STRING, _hoodie_is_deleted BOOLEAN, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1
TBLPROPERTIES (type = 'mor')

statement
INSERT INTO t VALUES (1, 'a', false), (2, 'b', NULL), (3, 'c', false), (4, 'd', true)

query
SELECT * FROM t

query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'x', true), (2, 'y', false), (7, 'z', true), (8, 'n', NULL)
AS q(id, v, _hoodie_is_deleted)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

query
UPDATE t SET _hoodie_is_deleted = true WHERE id = 3

query
SELECT * FROM t

-- An insert of a key that the table has stays an error.
statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (8, 'n', true)

statement
INSERT INTO t VALUES (9, 'm', true)

statement
SET spark.hudilite.insert.duplicates = update

statement
INSERT INTO t VALUES (8, 'n', true), (10, 'o', false), (11, 'p', true)

statement
RESET spark.hudilite.insert.duplicates

query
SELECT * FROM t

query
CALL compact(table => 't', min_log_files => 1)

query
SELECT * FROM t

statement
INSERT OVERWRITE t VALUES (1, 'a', true), (5, 'e', false)

query
SELECT * FROM t

-- With an ordering field, a late deletion changes nothing.
statement
CREATE TABLE e (id INT, ts BIGINT, _hoodie_is_deleted BOOLEAN, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1
TBLPROPERTIES (type = 'mor', preCombineField = 'ts')

statement
INSERT INTO e VALUES (1, 10, false), (2, 10, false), (3, 10, false)

query
MERGE INTO e USING (SELECT * FROM VALUES (1, 9L, true), (2, 10L, true), (3, 11L, true), (4, 1L, true)
AS q(id, ts, _hoodie_is_deleted)) s ON e.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM e

-- Copy-on-write tables; rows to delete need not fulfil constraints.
statement
CREATE TABLE c (id INT, p STRING, v STRING NOT NULL, _hoodie_is_deleted BOOLEAN, PRIMARY KEY (id),
CONSTRAINT short CHECK (length(v) < 5)) USING hudilite PARTITIONED BY (p)

statement
INSERT INTO c VALUES (1, 'x', 'a', false), (2, 'x', 'b', false), (3, 'y', 'c', false)

query
MERGE INTO c USING (SELECT * FROM VALUES (1, 'x', 'too long', true), (4, 'y', 'too long', true), (3, 'y', 'new', false)
AS q(id, p, v, _hoodie_is_deleted)) s ON c.id = s.id AND c.p = s.p
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM c

-- A row that moves to another partition and is marked is deleted.
query
UPDATE c SET p = 'y', _hoodie_is_deleted = true WHERE id = 2

query
SELECT * FROM c

statement
CREATE TABLE d USING hudilite AS SELECT id, id = 3 AS _hoodie_is_deleted FROM range(5)

query
SELECT * FROM d

statement
ALTER TABLE d ADD COLUMN v STRING

query
SELECT * FROM d

-- The column is Hudi's: BOOLEAN, and the only one of its kind.
statement expect_error(HUDILITE_UNSUPPORTED_TYPE)
CREATE TABLE f (id INT, _hoodie_is_deleted STRING, PRIMARY KEY (id)) USING hudilite

statement expect_error(HUDILITE_INVALID_NAME)
CREATE TABLE f (id INT, _hoodie_is_gone BOOLEAN, PRIMARY KEY (id)) USING hudilite

statement
CREATE TABLE f (id INT, PRIMARY KEY (id)) USING hudilite

statement expect_error(HUDILITE_UNSUPPORTED_TYPE)
ALTER TABLE f ADD COLUMN _hoodie_is_deleted INT

statement
ALTER TABLE f ADD COLUMN _hoodie_is_deleted BOOLEAN

statement
INSERT INTO f VALUES (1, false), (2, true)

query
SELECT * FROM f

-- A marked row is not inserted by a later clause either.
query
MERGE INTO f USING (SELECT * FROM VALUES (5, true, 'a'), (6, false, 'a'), (7, true, 'b') AS q(id, _hoodie_is_deleted, k)) s ON f.id = s.id
WHEN NOT MATCHED AND s.k = 'a' THEN INSERT (id, _hoodie_is_deleted) VALUES (s.id, s._hoodie_is_deleted)
WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)

query
SELECT * FROM f

-- Of two rows with one key, which one counts is not known.
statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO f VALUES (8, false), (8, true)

-- The marker is evaluated only for rows for which the condition of the clause is true.
query
UPDATE f SET _hoodie_is_deleted = 100 / (id - 6) > 90 WHERE id <> 6

query
MERGE INTO f USING (SELECT * FROM VALUES (20, 'no boolean', false), (21, 'true', true), (22, 'false', true) AS q(id, flag, ok)) s
ON f.id = s.id WHEN NOT MATCHED AND s.ok THEN INSERT (id, _hoodie_is_deleted) VALUES (s.id, CAST(s.flag AS BOOLEAN))

query
SELECT * FROM f

-- Log files of a table with an ordering field and this column have no marked rows: a MERGE adds one more.
statement
CREATE TABLE g (id INT, ts BIGINT, _hoodie_is_deleted BOOLEAN, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1
TBLPROPERTIES (type = 'mor', preCombineField = 'ts')

statement
INSERT INTO g SELECT CAST(id AS INT), 1L, false FROM range(2000)

query
MERGE INTO g USING (SELECT 1 id, 2L ts, false _hoodie_is_deleted) s ON g.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
MERGE INTO g USING (SELECT 3000 id, 2L ts, CAST(NULL AS BOOLEAN) _hoodie_is_deleted) s ON g.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT path LIKE '%.log.%' AS is_log, count(*) AS files FROM g.files GROUP BY ALL

query
SELECT * FROM g WHERE id = 1 OR id > 1998

-- A MERGE that seeks keys in all partitions: two rows with one key in one partition are an error there, too.
statement
CREATE TABLE h (id INT, p STRING, v STRING NOT NULL, _hoodie_is_deleted BOOLEAN, PRIMARY KEY (id),
CONSTRAINT short CHECK (length(v) < 5)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO h VALUES (1, 'x', 'a', false)

statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO h USING (SELECT * FROM VALUES (5, 'x', 'b', false), (5, 'x', 'b', true)
AS q(id, p, v, _hoodie_is_deleted)) s ON h.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
MERGE INTO h USING (SELECT * FROM VALUES (1, 'y', 'c', false), (5, 'x', 'b', false), (5, 'y', 'too long', true),
(6, 'x', CAST(NULL AS STRING), true), (7, 'z', 'd', NULL) AS q(id, p, v, _hoodie_is_deleted)) s ON h.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM h

-- Marked rows need no values for NOT NULL columns, partition columns and those from which they are generated among them.
statement
CREATE TABLE i (id INT, v STRING NOT NULL, n INT NOT NULL, p STRING GENERATED ALWAYS AS (substr(v, 1, 1)), _hoodie_is_deleted BOOLEAN,
PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p, n) WITH BUCKETS 2

query
MERGE INTO i USING (SELECT * FROM VALUES (9, NULL, NULL, true), (8, 'a', 0, false), (8, NULL, NULL, true), (7, 'b', NULL, true)
AS q(id, v, n, d)) s ON i.id = s.id
WHEN NOT MATCHED THEN INSERT (id, v, n, _hoodie_is_deleted) VALUES (s.id, s.v, s.n, s.d)

query
SELECT * FROM i

statement expect_error(CAST_OVERFLOW_IN_TABLE_INSERT)
MERGE INTO f USING (SELECT 5000000000L id, true _hoodie_is_deleted) s ON f.id = s.id WHEN NOT MATCHED THEN INSERT *

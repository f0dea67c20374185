statement
CREATE TABLE c USING hudilite WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id') AS SELECT id, concat('v', id) v FROM range(5)

query
SELECT * FROM c

-- Key columns are NOT NULL, the others as CTAS makes them.
query
DESCRIBE c

statement expect_error(HUDILITE_NULL_KEY)
INSERT INTO c VALUES (NULL, 'x')

statement
CREATE TABLE parted USING hudilite PARTITIONED BY (p) WITH BUCKETS 3 ON (k) TBLPROPERTIES (primaryKey = 'k,p') COMMENT 'made of a query' AS SELECT id k, id * 2 AS twice, concat('p', id % 2) p FROM range(6)

query
SELECT *, _hoodie_record_key FROM parted

query
INSERT OVERWRITE parted PARTITION (p = 'p0') VALUES (100, 200)

query
SELECT * FROM parted WHERE p = 'p0'

statement
CREATE TABLE IF NOT EXISTS c USING hudilite WITH BUCKETS 9 TBLPROPERTIES (primaryKey = 'id') AS SELECT 7 id

statement expect_error(TABLE_OR_VIEW_ALREADY_EXISTS)
CREATE TABLE c USING hudilite WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id') AS SELECT 7L id, 'x' v

query
SELECT count(*) FROM c

-- A query without rows makes an empty table.
statement
CREATE TABLE hollow USING hudilite WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id') AS SELECT id FROM c WHERE false

query
SELECT * FROM hollow

statement
CREATE TABLE placed USING hudilite WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id') LOCATION '{folder}/placed' AS SELECT id FROM c

query
SELECT * FROM placed

statement expect_error(HUDILITE_LOCATION_NOT_EMPTY)
CREATE TABLE second USING hudilite WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id') LOCATION '{folder}/placed' AS SELECT id FROM c

query
SELECT count(*) FROM placed

-- The rows fail: the table goes again, with all that it had made, and only that.
statement expect_error(HUDILITE_DUPLICATE_KEY)
CREATE TABLE failed USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id') LOCATION '{folder}/failed' AS SELECT 1 id, 'x' p UNION ALL SELECT 1, 'x'

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
SELECT * FROM failed

statement expect_error(HUDILITE_NULL_KEY)
CREATE TABLE failed USING hudilite WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id') LOCATION '{folder}/failed' AS SELECT CAST(NULL AS INT) id

statement
CREATE TABLE failed USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id') LOCATION '{folder}/failed' AS SELECT 1 id, 'x' p

query
SELECT * FROM failed

-- What cannot be declared is refused before anything is made.
statement expect_error(HUDILITE_KEY_NOT_DECLARED)
CREATE TABLE e USING hudilite WITH BUCKETS 2 AS SELECT 1 id

statement expect_error(HUDILITE_KEY_COLUMN_INVALID)
CREATE TABLE e USING hudilite WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'nope') AS SELECT 1 id

statement expect_error(HUDILITE_KEY_COLUMN_INVALID)
CREATE TABLE e USING hudilite WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id') AS SELECT 1.5D id

statement expect_error(HUDILITE_BUCKET_COLUMN_INVALID)
CREATE TABLE e USING hudilite WITH BUCKETS 2 ON (nope) TBLPROPERTIES (primaryKey = 'id') AS SELECT 1 id

statement expect_error(HUDILITE_INVALID_NAME)
CREATE TABLE e USING hudilite WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id') AS SELECT 1 id, 2 AS `a b`

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
SELECT * FROM e

-- Other providers are left alone.
statement
CREATE TABLE other USING parquet AS SELECT 1 id

query
EXPLAIN CREATE TABLE explained USING hudilite WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id') AS SELECT 1 id

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
SELECT * FROM explained

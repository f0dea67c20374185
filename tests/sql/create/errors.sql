-- Faults: F80, F85, F87
-- Hand: errors only
-- Every bad CREATE is refused by its condition, and leaves nothing behind.
statement expect_error(HUDILITE_KEY_NOT_DECLARED)
CREATE TABLE t (id INT, v STRING) USING hudilite WITH BUCKETS 4

statement expect_error(HUDILITE_KEY_COLUMN_INVALID)
CREATE TABLE t (id INT, v STRING) USING hudilite WITH BUCKETS 4 TBLPROPERTIES (primaryKey = 'absent')

statement expect_error(HUDILITE_KEY_COLUMN_INVALID)
CREATE TABLE t (id FLOAT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4

statement expect_error(HUDILITE_KEY_COLUMN_INVALID)
CREATE TABLE t (id DOUBLE, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4

statement expect_error(HUDILITE_KEY_COLUMN_INVALID)
CREATE TABLE t (id INT, d DOUBLE, v STRING, PRIMARY KEY (id, d)) USING hudilite WITH BUCKETS 4

statement expect_error(HUDILITE_KEY_COLUMN_INVALID)
CREATE TABLE t (id ARRAY<INT>, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4

statement expect_error(HUDILITE_BUCKET_COUNT_INVALID)
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 0

statement expect_error(HUDILITE_BUCKET_COUNT_INVALID)
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS -1

statement expect_error(HUDILITE_BUCKET_COUNT_INVALID)
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 100001

statement expect_error(HUDILITE_BUCKET_COUNT_INVALID)
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 99999999999999999999

statement expect_error(HUDILITE_BUCKET_COUNT_INVALID)
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4.5

statement expect_error(HUDILITE_BUCKET_COUNT_INVALID)
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS '4'

statement expect_error(HUDILITE_BUCKET_COUNT_INVALID)
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS four

statement expect_error(HUDILITE_BUCKET_COLUMN_INVALID)
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4 ON (v)

statement expect_error(HUDILITE_BUCKET_COLUMN_INVALID)
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4 ON (absent)

statement expect_error(HUDILITE_BUCKET_COLUMN_INVALID)
CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id, p)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 4 ON (p)

statement expect_error(COLUMN_ALREADY_EXISTS)
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4 ON (id, id)

statement expect_error(HUDILITE_LOCATION_NOT_EMPTY)
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4 LOCATION '{folder}'

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
SELECT * FROM t

-- Names that stock Hudi could not read.
statement expect_error(HUDILITE_INVALID_NAME)
CREATE TABLE t (id INT, `odd name` STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4

statement expect_error(HUDILITE_INVALID_NAME)
CREATE TABLE t (id INT, _hoodie_record_key STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4

statement expect_error(HUDILITE_UNSUPPORTED_TYPE)
CREATE TABLE t (id INT, v INTERVAL DAY TO SECOND, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4

statement expect_error(HUDILITE_UNSUPPORTED_TYPE)
CREATE TABLE t (id INT, v VARIANT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4

query
SHOW TABLES

-- A scheme without a connector.
statement expect_error(HUDILITE_PATH_INVALID)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 LOCATION 'nowhere://bucket/t'

statement expect_error(HUDILITE_PATH_INVALID)
SELECT * FROM hudilite.`nowhere://bucket/t`

-- Hand: errors only
-- Two forms that disagree: an error with both values.
statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4 CLUSTERED BY (id) INTO 8 BUCKETS

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE t (id INT, k INT, PRIMARY KEY (id, k)) USING hudilite WITH BUCKETS 4 ON (id) CLUSTERED BY (k) INTO 4 BUCKETS

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4 TBLPROPERTIES ('hoodie.bucket.index.num.buckets' = '3')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE t (id INT, k INT, PRIMARY KEY (id, k)) USING hudilite WITH BUCKETS 4 ON (id) TBLPROPERTIES ('hoodie.bucket.index.hash.field' = 'k')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE t (id INT, k INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4 TBLPROPERTIES ('hoodie.datasource.write.recordkey.field' = 'k')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE t (id INT, k INT) USING hudilite WITH BUCKETS 4 TBLPROPERTIES ('hoodie.table.recordkey.fields' = 'k', primaryKey = 'id')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE t (id INT, p INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4 TBLPROPERTIES ('hoodie.datasource.write.partitionpath.field' = 'p')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4 TBLPROPERTIES ('hoodie.index.type' = 'BLOOM')

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite CLUSTERED BY (id) SORTED BY (id) INTO 8 BUCKETS

statement expect_error(HUDILITE_BUCKET_COUNT_INVALID)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.bucket.index.num.buckets' = 'four')

-- Indexes and kinds of tables that are not there.
statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.index.type' = 'INMEMORY')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.index.type' = 'RECORD_INDEX')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.index.type' = 'HBASE')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES ('index.type' = 'BUCKET')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 OPTIONS (type 'ro')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES ('hoodie.index.bucket.engine' = 'CONSISTENT_HASHING')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES ('hoodie.metadata.enable' = 'true')

-- Names of classes are never loaded.
statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES ('hoodie.datasource.write.keygenerator.class' = 'x.Y')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 OPTIONS ('hoodie.datasource.write.payload.class' 'x.Y')

-- An unknown name comes with the nearest one.
statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE t (id INT) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (primary_keys = 'id')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE t (id INT, ts INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (preCombineFeild = 'ts')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES ('hoodie.bucket.index.num.bucket' = '2')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 OPTIONS (merge_schema 'true')

-- Ordering fields are columns with an order.
statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE t (id INT, v MAP<STRING, INT>, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'v')

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'ts')

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE t (id INT, a INT, b INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'a,ts')

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE t (id INT, a INT, b INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'a,b,A')

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE t (id INT, a INT, b ARRAY<INT>, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'a,b')

-- Without columns there must be a table to take them from.
statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE t USING hudilite WITH BUCKETS 2

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE t USING hudilite WITH BUCKETS 2 LOCATION '{folder}/nothing'

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE t (id INT, v INT, CONSTRAINT single UNIQUE (v), PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE t (id INT, v INT, p TIMESTAMP, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 PARTITIONED BY (p)

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE t (id INT, v INT, p BINARY, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 PARTITIONED BY (p)

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE t (id INT, v INT, p DATE, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 PARTITIONED BY (days(p))

-- Clauses of Delta: the error has the statement without them.
statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE t (
  id INT, at TIMESTAMP, -- a comment
  day DATE GENERATED ALWAYS AS (CAST(at AS DATE)),
  n BIGINT GENERATED BY DEFAULT AS IDENTITY COMMENT 'made', PRIMARY KEY (id)
) USING hudilite WITH BUCKETS 2

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE t (id BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 1 INCREMENT BY 1), PRIMARY KEY (id)) USING hudilite

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE t USING hudilite CLUSTER BY (v) TBLPROPERTIES (primaryKey = 'id') AS SELECT 1 AS id, 'a' AS v CLUSTER BY (id)

query
SHOW TABLES

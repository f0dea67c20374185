-- Hand: Hudi's option names
-- Spark's own clause and Hudi's property names state the same facts as WITH BUCKETS n ON (columns).
statement
CREATE TABLE clustered (id BIGINT, k STRING, v STRING, PRIMARY KEY (id, k)) USING hudilite CLUSTERED BY (k) INTO 4 BUCKETS

statement
CREATE TABLE transformed (id BIGINT, k STRING, v STRING, PRIMARY KEY (id, k)) USING hudilite PARTITIONED BY (bucket(4, k))

statement
CREATE TABLE by_properties (id BIGINT, k STRING, v STRING) USING hudilite TBLPROPERTIES (primaryKey = 'id,k', type = 'cow', 'hoodie.index.type' = 'BUCKET', 'hoodie.bucket.index.num.buckets' = '4', 'hoodie.bucket.index.hash.field' = 'k')

statement
CREATE TABLE by_options (id BIGINT, k STRING, v STRING) USING hudilite OPTIONS (primaryKey 'id,k', 'hoodie.index.type' 'BUCKET', 'hoodie.bucket.index.num.buckets' '4', 'hoodie.bucket.index.hash.field' 'k')

statement
CREATE TABLE by_writers_names (id BIGINT, k STRING, v STRING) USING hudilite TBLPROPERTIES ('hoodie.datasource.write.recordkey.field' = 'id, k', 'hoodie.datasource.write.table.type' = 'COPY_ON_WRITE', 'hoodie.index.type' = 'bucket', 'hoodie.bucket.index.num.buckets' = '4', 'hoodie.bucket.index.hash.field' = 'K', 'hoodie.metadata.enable' = 'false', 'hoodie.index.bucket.engine' = 'SIMPLE')

statement
INSERT INTO clustered VALUES (1, 'a', 'x'), (1, 'b', 'y')

query
SELECT _hoodie_record_key, substring(_hoodie_file_name, 1, 8) bucket FROM clustered

query
SHOW CREATE TABLE clustered

query
SHOW CREATE TABLE transformed

query
SHOW CREATE TABLE by_properties

query
SHOW CREATE TABLE by_options

query
SHOW CREATE TABLE by_writers_names

-- BUCKET without a count has Hudi's 256.
statement
CREATE TABLE counted (id BIGINT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.index.type' = 'BUCKET')

query
SHOW CREATE TABLE counted

-- Two forms at once that agree are one.
statement
CREATE TABLE twice (id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4 ON (id) CLUSTERED BY (ID) INTO 4 BUCKETS TBLPROPERTIES ('hoodie.bucket.index.num.buckets' = '4')

query
SHOW CREATE TABLE twice

statement
CREATE TABLE parted (id BIGINT, p STRING, ts BIGINT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4 PARTITIONED BY (p) TBLPROPERTIES (preCombineField = 'TS', 'hoodie.datasource.write.partitionpath.field' = 'p', team = 'a b')

query
SHOW TBLPROPERTIES parted

-- Hudi's name for what the ordering fields decide.
statement
CREATE TABLE latest (id BIGINT, ts BIGINT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.write.record.merge.mode' = 'COMMIT_TIME_ORDERING')

statement
CREATE TABLE ordered (id BIGINT, ts BIGINT, PRIMARY KEY (id)) USING hudilite OPTIONS (hoodie.record.merge.mode = 'event_time_ordering', preCombineField = 'ts')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE unordered (id BIGINT, ts BIGINT, PRIMARY KEY (id)) USING hudilite OPTIONS (hoodie.write.record.merge.mode = 'EVENT_TIME_ORDERING')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE unordered (id BIGINT, ts BIGINT, PRIMARY KEY (id)) USING hudilite OPTIONS (hoodie.write.record.merge.mode = 'CUSTOM')

-- A table property prevails over an option that states the same fact, as in stock Hudi. dbt-spark writes a key of several columns as
-- Python does.
statement
CREATE TABLE snapshotted USING hudilite OPTIONS (primaryKey 'id', 'hoodie.index.type' 'BLOOM') TBLPROPERTIES ('hoodie.datasource.write.recordkey.field' = 'version') AS SELECT 1 id, 'a' version UNION ALL SELECT 1, 'b'

query
SHOW CREATE TABLE snapshotted

statement
CREATE TABLE listed (id BIGINT, day DATE, v STRING) USING hudilite OPTIONS (primaryKey "['id', 'day']")

query
SHOW CREATE TABLE listed

statement expect_error(HUDILITE_KEY_COLUMN_INVALID)
CREATE TABLE misspelled (id BIGINT, day DATE) USING hudilite TBLPROPERTIES (primaryKey = "['id', 'dya']")

statement expect_error(HUDILITE_KEY_NOT_DECLARED)
CREATE TABLE unlisted (id BIGINT) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (primaryKey = "[]")

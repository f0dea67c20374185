-- Hand: adoption is of Hudi tables
-- A table that is there is adopted with its own facts.
statement
CREATE TABLE made (id BIGINT, k STRING, v TINYINT COMMENT 'small', p STRING, PRIMARY KEY (id, k)) USING hudilite WITH BUCKETS 4 ON (k) PARTITIONED BY (p) LOCATION '{folder}/made' TBLPROPERTIES (preCombineField = 'v')

statement
INSERT INTO made VALUES (1, 'a', 1, 'x'), (2, 'b', 2, 'y')

statement
CREATE TABLE bare USING hudilite LOCATION '{folder}/made'

query
SELECT * FROM bare

query
SHOW TBLPROPERTIES bare

query
MERGE INTO bare t USING (SELECT 1L id, 'a' k, 7Y v, 'x' p UNION ALL SELECT 3L, 'c', 3Y, 'x') s ON t.id = s.id AND t.k = s.k AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM made

-- Whatever the statement repeats must agree.
statement
CREATE TABLE told (id BIGINT, k STRING, v TINYINT, p STRING, PRIMARY KEY (id, k)) USING hudilite WITH BUCKETS 4 ON (k) PARTITIONED BY (p) LOCATION '{folder}/made' TBLPROPERTIES (preCombineField = 'v', mine = 'yes')

statement
CREATE TABLE told_part USING hudilite WITH BUCKETS 4 LOCATION '{folder}/made'

query
SHOW TBLPROPERTIES told

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE t USING hudilite WITH BUCKETS 8 LOCATION '{folder}/made'

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE t USING hudilite WITH BUCKETS 4 ON (id) LOCATION '{folder}/made'

statement expect_error(HUDILITE_BUCKET_COLUMN_INVALID)
CREATE TABLE t USING hudilite WITH BUCKETS 4 ON (absent) LOCATION '{folder}/made'

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE t USING hudilite LOCATION '{folder}/made' TBLPROPERTIES (primaryKey = 'id')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE t USING hudilite LOCATION '{folder}/made' TBLPROPERTIES (preCombineField = 'id')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE t USING hudilite LOCATION '{folder}/made' TBLPROPERTIES ('hoodie.index.type' = 'BLOOM')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE t (id BIGINT, k STRING, v INT, p STRING) USING hudilite PARTITIONED BY (p) LOCATION '{folder}/made'

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE t (id BIGINT, k STRING, v TINYINT) USING hudilite LOCATION '{folder}/made'

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE t (id BIGINT, k STRING, v TINYINT NOT NULL, p STRING) USING hudilite LOCATION '{folder}/made'

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE t (id BIGINT, k STRING, v TINYINT, p STRING) USING hudilite PARTITIONED BY (k) LOCATION '{folder}/made'

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE t (id BIGINT, k STRING, v TINYINT, p STRING, PRIMARY KEY (k, id)) USING hudilite LOCATION '{folder}/made'

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE t (id BIGINT, k STRING, v TINYINT COMMENT 'large', p STRING) USING hudilite LOCATION '{folder}/made'

-- DROP leaves the files of an adopted table.
statement
DROP TABLE bare

query
SELECT count(*) FROM made

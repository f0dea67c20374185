-- Hand: a fact of Hudi's files
-- Files of a table with buckets have no bloom filter.
statement
CREATE TABLE t (id STRING, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO t VALUES ('b', 1), ('d', 1)

statement
MERGE INTO t USING (SELECT * FROM VALUES ('a', 2), ('b', 2) AS s(id, v)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
CALL show_index('t')

query
CALL verify(table => 't', level => 'rows')

-- A table that asks for filters: the next file has one of all its keys.
statement
ALTER TABLE t SET TBLPROPERTIES ('hoodie.parquet.bloom.filter.enabled' = 'TRUE')

query
CALL verify(table => 't')

statement
MERGE INTO t USING (SELECT 'c' id, 3 v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
CALL show_index('t')

query
SHOW TBLPROPERTIES t

query
SHOW CREATE TABLE t

-- Without the property, a file keeps its filter, and a new file group has none.
statement
ALTER TABLE t UNSET TBLPROPERTIES ('hoodie.parquet.bloom.filter.enabled')

statement
UPDATE t SET v = 4 WHERE id = 'd'

statement
INSERT INTO t VALUES ('e', 4)

query
CALL show_index('t')

query
CALL verify(table => 't', level => 'rows')

statement
CREATE TABLE o LIKE t

statement
INSERT INTO o SELECT * FROM t

query
CALL show_index('o')

-- A table that asks for none: the next file has none.
statement
ALTER TABLE t SET TBLPROPERTIES ('hoodie.parquet.bloom.filter.enabled' = 'false')

statement
DELETE FROM t WHERE id = 'a'

query
CALL show_index('t')

query
SELECT * FROM t ORDER BY id

-- New tables with the property.
statement
CREATE TABLE c USING hudilite WITH BUCKETS 1 TBLPROPERTIES (primaryKey = 'id', 'hoodie.parquet.bloom.filter.enabled' = 'true') AS SELECT * FROM t

query
CALL show_index('c')

statement
CREATE TABLE l LIKE c

statement
INSERT INTO l SELECT * FROM t

query
CALL show_index('l')

statement
CREATE TABLE n LIKE c TBLPROPERTIES ('hoodie.parquet.bloom.filter.enabled' = 'false')

query
SHOW TBLPROPERTIES n

-- Log files: the compacted file follows the base file.
statement
CREATE TABLE m (id STRING, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (type = 'mor', 'hoodie.parquet.bloom.filter.enabled' = 'true')

statement
INSERT INTO m VALUES ('b', 1), ('d', 1)

statement
ALTER TABLE m UNSET TBLPROPERTIES ('hoodie.parquet.bloom.filter.enabled')

statement
MERGE INTO m USING (SELECT 'c' id, 3 v) s ON m.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
CALL compact(table => 'm', min_log_files => 1)

query
CALL show_index('m')

statement
ALTER TABLE m SET TBLPROPERTIES ('hoodie.parquet.bloom.filter.enabled' = 'false')

statement
UPDATE m SET v = 5

statement
CALL compact(table => 'm', min_log_files => 1)

query
CALL show_index('m')

-- A bootstrap into buckets.
statement
CREATE TABLE p USING parquet AS SELECT * FROM t

statement
CALL bootstrap(table => 'f', source => 'p', key => 'id', mode => 'full', buckets => 1)

query
CALL show_index('f')

statement
CALL bootstrap(table => 'g', source => 'p', key => 'id', mode => 'full', buckets => 1, bloom_filters => true)

query
CALL show_index('g')

query
SHOW TBLPROPERTIES g

-- What is refused.
statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
ALTER TABLE t SET TBLPROPERTIES ('hoodie.parquet.bloom.filter.enabled' = 'yes')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE b (id STRING, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.parquet.bloom.filter.enabled' = 'false')

statement
CREATE TABLE b (id STRING, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.parquet.bloom.filter.enabled' = 'true')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
ALTER TABLE b SET TBLPROPERTIES ('hoodie.parquet.bloom.filter.enabled' = 'false')

statement
SET hoodie.parquet.bloom.filter.enabled = true

statement
INSERT INTO b VALUES ('a')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
INSERT INTO t VALUES ('f', 6)

statement
SET hoodie.parquet.bloom.filter.enabled = false

statement
INSERT INTO t VALUES ('f', 6)

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
INSERT INTO b VALUES ('b')

query
CALL show_index('b')

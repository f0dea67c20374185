-- Hand: errors and facts
-- How a table says that a key is unique over all partitions, and who may say otherwise.
statement
CREATE TABLE t (id INT, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)
LOCATION '{folder}/t' TBLPROPERTIES ('hoodie.index.type' = 'global_bloom')

query
SHOW TBLPROPERTIES t

statement
INSERT INTO t VALUES (1, 'a')

statement
DROP TABLE t

-- The fact lies with the table.
statement
CREATE TABLE t USING hudilite LOCATION '{folder}/t'

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (1, 'b')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE other USING hudilite LOCATION '{folder}/t' TBLPROPERTIES ('hudilite.index.global' = 'false')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE other USING hudilite LOCATION '{folder}/t' TBLPROPERTIES ('hoodie.index.type' = 'BLOOM')

statement
CREATE TABLE other USING hudilite LOCATION '{folder}/t' TBLPROPERTIES ('hudilite.index.global' = 'TRUE')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
ALTER TABLE t SET TBLPROPERTIES ('hudilite.index.global' = 'false')

statement
ALTER TABLE t SET TBLPROPERTIES ('hudilite.index.global' = 'true')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
ALTER TABLE t UNSET TBLPROPERTIES ('hudilite.index.global')

statement
SET hoodie.index.type = BLOOM

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
INSERT INTO t VALUES (2, 'b')

statement
SET hoodie.index.type = GLOBAL_BLOOM

statement
INSERT INTO t VALUES (2, 'b')

statement
SET hoodie.index.type = GLOBAL_SIMPLE

statement
DELETE FROM t WHERE id = 99

statement
SET hoodie.index.type = record_index

statement
DELETE FROM t WHERE id = 99

statement
SET hoodie.index.type = SIMPLE

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
DELETE FROM t WHERE id = 99

statement
RESET hoodie.index.type

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE w (id INT, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)
TBLPROPERTIES ('hudilite.index.global' = 'yes')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE w (id INT, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)
TBLPROPERTIES ('hudilite.index.global' = 'true', 'hoodie.index.type' = 'BLOOM')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE w (id INT, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)
WITH BUCKETS 2 TBLPROPERTIES ('hoodie.index.type' = 'GLOBAL_BLOOM')

statement
CREATE TABLE w (id INT, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)
TBLPROPERTIES ('hudilite.index.global' = 'false')

statement
INSERT INTO w VALUES (1, 'a'), (1, 'b')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
ALTER TABLE w SET TBLPROPERTIES ('hudilite.index.global' = 'true')

-- It changes nothing without partitions, nor where the key tells them.
statement
CREATE TABLE flat (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hudilite.index.global' = 'true')

query
SHOW CREATE TABLE flat

statement
INSERT INTO flat VALUES (1)

statement
CREATE TABLE whole (id INT, p STRING, PRIMARY KEY (id, p)) USING hudilite PARTITIONED BY (p)
TBLPROPERTIES ('hudilite.index.global' = 'true')

statement
INSERT INTO whole VALUES (1, 'a'), (1, 'b')

-- A new table, filled at once.
statement expect_error(HUDILITE_DUPLICATE_KEY)
CREATE TABLE c USING hudilite PARTITIONED BY (p)
TBLPROPERTIES (primaryKey = 'id', 'hudilite.index.global' = 'true') AS SELECT id, p FROM w

statement
CREATE TABLE c USING hudilite PARTITIONED BY (p)
TBLPROPERTIES (primaryKey = 'id', 'hudilite.index.global' = 'true') AS SELECT id, p FROM t

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO c VALUES (1, 'c')

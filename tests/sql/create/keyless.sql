-- Hand: record keys, facts and procedures are hudilite's own
-- A table without a key: each new row gets a record key of its own, which it keeps.
statement
CREATE TABLE t (at BIGINT, name STRING, fee DOUBLE, town STRING) USING hudilite PARTITIONED BY (town)

query
SHOW CREATE TABLE t

query
SHOW TBLPROPERTIES t

statement
INSERT INTO t VALUES (1, 'a', 1.5, 'x'), (1, 'a', 1.5, 'x'), (2, 'b', 2.5, 'y'), (3, NULL, NULL, NULL)

statement
INSERT INTO t VALUES (1, 'a', 1.5, 'x'), (4, 'd', 4.5, 'x')

query
SELECT count(*), count(DISTINCT _hoodie_record_key), bool_and(_hoodie_record_key RLIKE '^[0-9]{17}_[0-9]+_[0-9]+$') FROM t

statement
CREATE TABLE keys USING parquet AS SELECT at, name, town, _hoodie_record_key AS k, _hoodie_commit_time AS c FROM t

query
SELECT count(*) FROM keys WHERE k NOT LIKE c || '\_%'

statement
UPDATE t SET fee = fee * 10 WHERE name = 'a'

statement
UPDATE t SET town = 'z' WHERE at = 4

query
SELECT t.at, t.name, t.fee, t.town, keys.town AS before FROM t JOIN keys ON t._hoodie_record_key = keys.k

query
SELECT count(*) FROM t VERSION AS OF '{instant 1 of t}'

query
SELECT count(*) FROM t TIMESTAMP AS OF '{instant 2 of t}'

query
SELECT * FROM t VERSION AS OF '{instant 3 of t}'

query
SELECT _change_type, at, name, fee, town FROM hudilite_changes('t', '{instant 2 of t}')

query
DELETE FROM t WHERE _hoodie_record_key IN (SELECT k FROM keys WHERE at = 2)

query
CALL verify(table => 't', level => 'rows')

query
EXPLAIN INSERT INTO t VALUES (9, 'z', 1, 'x')

-- Tables like it, from a query, and of other kinds.
statement
CREATE TABLE alike LIKE t

statement
INSERT INTO alike SELECT * FROM t

query
SELECT * FROM alike

statement
CREATE TABLE chosen USING hudilite TBLPROPERTIES (type = 'mor') AS SELECT at, fee FROM t

query
SELECT * FROM chosen

query
SHOW CREATE TABLE chosen

statement
CREATE TABLE nine (id INT, n INT) USING hudilite TBLPROPERTIES (preCombineField = 'n', 'hoodie.write.table.version' = '9')

statement
INSERT INTO nine VALUES (1, 5), (2, 5)

-- The ordering field decides as in a table with a key.
query
MERGE INTO nine USING (SELECT 1 id, 4 n UNION ALL SELECT 2, 6 UNION ALL SELECT 2, 7) s ON nine.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM nine

statement
CREATE TABLE stated (id INT) USING hudilite TBLPROPERTIES (primaryKey = '', 'hoodie.index.type' = 'BLOOM')

query
SHOW TBLPROPERTIES stated

statement
CREATE OR REPLACE TABLE stated (id INT) USING hudilite

-- What needs a key is refused by name, and a key cannot come later.
statement expect_error(HUDILITE_KEY_NOT_DECLARED)
CREATE TABLE e (id INT) USING hudilite WITH BUCKETS 4

statement expect_error(HUDILITE_KEY_NOT_DECLARED)
CREATE TABLE e (id INT) USING hudilite CLUSTERED BY (id) INTO 4 BUCKETS

statement expect_error(HUDILITE_KEY_NOT_DECLARED)
CREATE TABLE e (id INT) USING hudilite TBLPROPERTIES ('hoodie.index.type' = 'BUCKET')

statement expect_error(HUDILITE_KEY_NOT_DECLARED)
CREATE TABLE e (id INT, p STRING) USING hudilite PARTITIONED BY (p) TBLPROPERTIES ('hudilite.index.global' = 'true')

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (at BIGINT, name STRING, fee DOUBLE, town STRING, PRIMARY KEY (at)) USING hudilite PARTITIONED BY (town)

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
ALTER TABLE t SET TBLPROPERTIES (primaryKey = 'at')

-- Hand: the version of Hudi's table format is hudilite's own
statement
CREATE TABLE t (id INT, v STRING, ts INT, p STRING, PRIMARY KEY (id))
USING hudilite PARTITIONED BY (p) WITH BUCKETS 2
TBLPROPERTIES ('preCombineField' = 'ts', 'hoodie.write.table.version' = '9')

query
SHOW TBLPROPERTIES t

query
SHOW CREATE TABLE t

statement
INSERT INTO t VALUES (1, 'one', 5, 'a'), (2, 'two', 5, 'a'), (3, 'three', 5, 'b')

query
MERGE INTO t USING (SELECT 1 id, 'late' v, 4 ts, 'a' p UNION ALL SELECT 2, 'new', 6, 'a') s
ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
INSERT OVERWRITE t PARTITION (p = 'b') VALUES (4, 'four', 1)

query
SELECT * FROM t ORDER BY id

query
SELECT * FROM t VERSION AS OF '{instant 1 of t}' ORDER BY id

query
CALL show_timeline(table => 't')

query
CALL verify(table => 't', level => 'rows')

-- A table without an ordering field: the row that is written last stays.
statement
CREATE TABLE last (id INT, v STRING, PRIMARY KEY (id)) USING hudilite
TBLPROPERTIES ('hoodie.table.version' = '9')

statement
INSERT INTO last VALUES (1, 'one')

statement
UPDATE last SET v = 'two'

query
SELECT * FROM last

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE eight (id INT, PRIMARY KEY (id)) USING hudilite
TBLPROPERTIES ('hoodie.write.table.version' = '8')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE both (id INT, PRIMARY KEY (id)) USING hudilite
TBLPROPERTIES ('hoodie.write.table.version' = '9', 'hoodie.table.version' = '6')

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t SET TBLPROPERTIES ('hoodie.write.table.version' = '6')

statement
CREATE TABLE six (id INT, PRIMARY KEY (id)) USING hudilite
TBLPROPERTIES ('hoodie.write.table.version' = '6')

statement
SET hoodie.write.table.version = 9

statement
INSERT INTO six VALUES (1)

statement
CREATE TABLE nine USING hudilite TBLPROPERTIES (primaryKey = 'id') AS SELECT 1 AS id

query
SHOW TBLPROPERTIES nine ('hoodie.table.version')

statement
SET hoodie.write.table.version = 7

statement expect_error(HUDILITE_SETTING_INVALID)
CREATE TABLE seven (id INT, PRIMARY KEY (id)) USING hudilite

-- A table like another one has its version, or the one that the statement states.
statement
CREATE TABLE old (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.write.table.version' = '6')

statement
CREATE TABLE newer LIKE old TBLPROPERTIES ('hoodie.write.table.version' = '9')

statement
CREATE TABLE newer_too LIKE newer

query
SHOW TBLPROPERTIES newer_too ('hoodie.table.version')

statement
SET hoodie.write.table.version = 9

statement
CREATE TABLE old_too LIKE old

query
SHOW TBLPROPERTIES old_too

-- REPLACE TABLE compares a version that it states.
statement
CREATE OR REPLACE TABLE old (id INT, PRIMARY KEY (id)) USING hudilite

statement
CREATE OR REPLACE TABLE old (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.write.table.version' = '6')

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE old (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.write.table.version' = '9')

-- Hand: facts of hudilite's tables
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 COMMENT 'of the north' TBLPROPERTIES ('team' = 'north', 'hoodie.write.table.version' = '6')

query
DESCRIBE DETAIL t

statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'y')

query
DESCRIBE DETAIL t

statement
CREATE TABLE m (id INT, ts INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES (type = 'mor', preCombineField = 'ts', 'hoodie.write.table.version' = '6')

query
DESCRIBE DETAIL m

query
DESC DETAIL hudilite.`{folder}/db/m`

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
DESCRIBE DETAIL hudilite.`{folder}/db/t/p=x`

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
DESCRIBE DETAIL nowhere

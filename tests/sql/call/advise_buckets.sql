-- Hand: procedures are hudilite's own
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

-- Without rows there are no sizes to advise from.
query
CALL advise_buckets(table => 't')

statement
INSERT INTO t SELECT id, 'a', if(id < 30, 'x', 'y') FROM range(40)

query
CALL advise_buckets(table => 't')

query
CALL advise_buckets('t', target_file_size => '1g', days => 365)

-- Each bucket of 64 has far too few bytes for a target between the bytes of the table and five times as many.
statement
CREATE TABLE many (id INT, day INT, v STRING, PRIMARY KEY (id, day)) USING hudilite WITH BUCKETS 64 ON (id) TBLPROPERTIES ('preCombineField' = 'day', 'hudilite.index.global' = 'true') LOCATION '{folder}/many'

statement
INSERT INTO many SELECT id, 1, 'a' FROM range(400)

query
CALL advise_buckets(table => 'many', target_file_size => '600k')

query
CALL advise_buckets(table => 'hudilite.`{folder}/many`')

-- While a rescale is not finished, no other one can begin.
query
CALL rescale(table => 'many', buckets => 32, max_bytes => 1)

query
CALL advise_buckets(table => 'many', target_file_size => '600k')

query
CALL rescale(table => 'many', buckets => 64)

query
CALL rescale(table => 'many', buckets => 1)

query
CALL advise_buckets(table => 'many', target_file_size => '600k')

-- A rescale to the advised number is finished.
statement
CREATE TABLE halves (id INT, p STRING, PRIMARY KEY (id, p)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 64

statement
INSERT INTO halves SELECT id, if(id < 200, 'x', 'y') FROM range(400)

query
CALL rescale(table => 'halves', buckets => 1, max_bytes => 1)

query
CALL advise_buckets(table => 'halves', target_file_size => '600k')

statement
CREATE TABLE many_1 USING hudilite WITH BUCKETS 1 ON (id) TBLPROPERTIES ('primaryKey' = 'id,day', 'hudilite.index.global' = 'true', 'preCombineField' = 'day') AS SELECT * FROM many

query
SELECT count(*), count(DISTINCT _hoodie_file_name) FROM many_1

-- A bloom table whose commits changed no rows; one whose commits change rows in all files, and one in few.
statement
CREATE TABLE b (id INT, v STRING, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.parquet.small.file.limit' = '0')

statement
INSERT INTO b SELECT id, 'a' FROM range(10)

query
CALL advise_buckets(table => 'b')

statement
INSERT INTO b SELECT id + 10, 'a' FROM range(10)

statement
INSERT INTO b SELECT id + 20, 'a' FROM range(10)

statement
INSERT INTO b SELECT id + 30, 'a' FROM range(10)

statement
UPDATE b SET v = 'b' WHERE id = 1

statement
UPDATE b SET v = 'c' WHERE id = 2

statement
UPDATE b SET v = 'd' WHERE id = 3

query
CALL advise_buckets(table => 'b')

statement
UPDATE b SET v = 'e' WHERE id % 10 = 1

statement
UPDATE b SET v = 'f' WHERE id % 10 = 2

statement
UPDATE b SET v = 'g' WHERE id % 10 = 3

statement
UPDATE b SET v = 'h' WHERE id % 10 = 4

query
CALL advise_buckets(table => 'b')

statement
CREATE TABLE b_1 USING hudilite WITH BUCKETS 1 TBLPROPERTIES ('primaryKey' = 'id') AS SELECT * FROM b

-- A table without a key.
statement
CREATE TABLE keyless (id INT, v STRING) USING hudilite

statement
INSERT INTO keyless VALUES (1, 'a')

query
CALL advise_buckets(table => 'keyless')

-- A merge-on-read table: its log files are counted apart.
statement
CREATE TABLE logged (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES ('type' = 'mor')

statement
INSERT INTO logged SELECT id, 'a' FROM range(10)

statement
UPDATE logged SET v = 'b' WHERE id = 1

query
CALL advise_buckets(table => 'logged')

-- A hot bucket: the copy hashes all key columns, and has no entry in the metastore.
statement
CREATE TABLE hot (id INT, day INT, v STRING, PRIMARY KEY (id, day)) USING hudilite WITH BUCKETS 2 ON (id) TBLPROPERTIES ('hoodie.datasource.hive_sync.table' = 'hot_entry')

statement
INSERT INTO hot SELECT 1, id, 'a' FROM range(400)

query
CALL advise_buckets(table => 'hot', target_file_size => '3k')

statement
CREATE TABLE hot_2 USING hudilite WITH BUCKETS 2 TBLPROPERTIES ('primaryKey' = 'id,day') AS SELECT * FROM hot

query
SELECT count(*), count(DISTINCT _hoodie_file_name) FROM hot_2

-- Partitions of very different sizes: no number of buckets fits.
statement
CREATE TABLE uneven (id INT, v STRING, p INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO uneven SELECT id, sha2(CAST(id AS STRING), 512), if(id < 120, id % 3, 3) FROM range(8000)

query
CALL advise_buckets(table => 'uneven', target_file_size => '1m')

statement
CREATE TABLE uneven_bloom USING hudilite PARTITIONED BY (p) TBLPROPERTIES ('primaryKey' = 'id') AS SELECT * FROM uneven

-- Folders.
statement
CREATE TABLE events USING parquet PARTITIONED BY (day) LOCATION '{folder}/events' AS SELECT id, id % 2 AS day FROM range(0, 30, 1, 1)

query
CALL advise_buckets(path => '{folder}/events')

statement
CALL bootstrap(table => 'adopted', source => 'events', key => 'id')

query
CALL advise_buckets(table => 'adopted')

statement
CREATE TABLE small USING parquet LOCATION '{folder}/small' AS SELECT id FROM range(0, 300, 1, 30)

query
CALL advise_buckets(path => 'small', target_file_size => '50k')

query expect_error(HUDILITE_BOOTSTRAP_SOURCE_INVALID)
CALL advise_buckets(path => '{folder}/absent')

query expect_error(HUDILITE_BOOTSTRAP_SOURCE_INVALID)
CALL advise_buckets(path => '{folder}')

query expect_error(HUDILITE_BOOTSTRAP_SOURCE_INVALID)
CALL advise_buckets(path => 't')

statement
CREATE TABLE texts USING csv LOCATION '{folder}/text' AS SELECT id FROM range(10)

query expect_error(HUDILITE_BOOTSTRAP_SOURCE_INVALID)
CALL advise_buckets(path => '{folder}/text')

-- Mistakes.
query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL advise_buckets()

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL advise_buckets(table => 't', path => '{folder}/events')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL advise_buckets(table => 't', days => 0)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL advise_buckets(table => 't', days => -1)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL advise_buckets(table => 't', target_file_size => '0')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL advise_buckets(table => 't', target_file_size => '-5m')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL advise_buckets(table => 't', target_file_size => 'large')

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
CALL advise_buckets(table => 'not_there')

statement
CREATE TABLE plain (id INT) USING parquet

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
CALL advise_buckets(table => 'plain')

query
DESCRIBE PROCEDURE advise_buckets

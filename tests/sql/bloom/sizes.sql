-- Hand: file groups
-- Config: hoodie.parquet.max.file.size = 16k
-- Config: hoodie.parquet.small.file.limit = 8k
-- New keys fill small file groups, then new ones, each of which holds a range of keys of its own.
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite

statement
INSERT INTO t SELECT CAST(id AS INT), repeat(sha2(CAST(id AS STRING), 256), 3) FROM range(100000, 103000)

query
SELECT count(*), count(DISTINCT _hoodie_file_name) > 5 several FROM t

-- No two files share a part of their ranges.
query
SELECT count(*) FROM (SELECT _hoodie_file_name f, min(id) low, max(id) high FROM t GROUP BY 1) a
JOIN (SELECT _hoodie_file_name f, min(id) low, max(id) high FROM t GROUP BY 1) b
ON a.f < b.f AND a.low <= b.high AND b.low <= a.high

statement
CREATE TABLE small (id INT, v STRING, PRIMARY KEY (id)) USING hudilite

statement
INSERT INTO small VALUES (1, 'first')

statement
INSERT INTO small VALUES (2, 'beside it')

query
SELECT count(*), count(DISTINCT _hoodie_file_name) FROM small

statement
SET hoodie.parquet.small.file.limit = 0

statement
INSERT INTO small VALUES (3, 'in a group of its own')

query
SELECT count(*), count(DISTINCT _hoodie_file_name) FROM small

statement
RESET hoodie.parquet.small.file.limit

statement
RESET hoodie.parquet.max.file.size

-- What the table says counts where the session says nothing.
statement
CREATE TABLE told (id INT, v STRING, PRIMARY KEY (id)) USING hudilite
TBLPROPERTIES ('hoodie.parquet.small.file.limit' = '0', 'hoodie.parquet.max.file.size' = '16k')

query
SHOW TBLPROPERTIES told ('hoodie.parquet.max.file.size')

statement
INSERT INTO told SELECT CAST(id AS INT), repeat(sha2(CAST(id AS STRING), 256), 3) FROM range(100000, 100800)

query
SELECT count(*), count(DISTINCT _hoodie_file_name) > 2 several FROM told

statement
ALTER TABLE told SET TBLPROPERTIES ('hoodie.parquet.max.file.size' = '64m')

statement
INSERT INTO told SELECT CAST(id AS INT), repeat(sha2(CAST(id AS STRING), 256), 3) FROM range(200000, 200800)

query
SELECT count(*), count(DISTINCT _hoodie_file_name) FROM told WHERE id >= 200000

statement
SET hoodie.parquet.max.file.size = 16k

statement
INSERT INTO told SELECT CAST(id AS INT), repeat(sha2(CAST(id AS STRING), 256), 3) FROM range(300000, 300800)

query
SELECT count(*), count(DISTINCT _hoodie_file_name) > 2 several FROM told WHERE id >= 300000

statement
RESET hoodie.parquet.max.file.size

statement
INSERT INTO told VALUES (1, 'in a file of its own')

statement
ALTER TABLE told UNSET TBLPROPERTIES ('hoodie.parquet.small.file.limit')

statement
INSERT INTO told VALUES (2, 'beside the newest')

query
SELECT count(DISTINCT _hoodie_file_name) FROM told WHERE id < 10

query
SHOW TBLPROPERTIES told ('hoodie.parquet.small.file.limit')

statement
CREATE TABLE optioned (id INT, PRIMARY KEY (id)) USING hudilite OPTIONS ('hoodie.parquet.max.file.size' = '1g')

query
SHOW TBLPROPERTIES optioned ('hoodie.parquet.max.file.size')

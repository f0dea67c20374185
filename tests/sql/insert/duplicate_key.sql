-- Faults: F77
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')

-- A key that exists.
statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (9, 'new'), (2, 'again')

-- A key that comes twice.
statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (9, 'once'), (9, 'twice')

-- Equal rows are duplicates too.
statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (9, 'same'), (9, 'same')

-- Nothing of a refused statement stays.
query
SELECT * FROM t

query
SELECT count(DISTINCT _hoodie_commit_time) FROM t

-- One key that comes often is named once.
statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t SELECT 3, 'x' FROM range(8)

-- Up to five keys are named.
statement
CREATE TABLE single (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO single SELECT id FROM range(1, 9)

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO single SELECT id FROM range(1, 20)

statement
CREATE TABLE parted (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO parted VALUES (1, 'x', 'a'), (1, 'y', 'b')

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO parted VALUES (1, 'y', 'again')

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO parted VALUES (5, 'z', 'once'), (5, 'z', 'twice')

query
SELECT * FROM parted

statement
CREATE TABLE composite (a STRING, b INT, v STRING, PRIMARY KEY (a, b)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO composite VALUES ('x', 1, 'a'), ('x', 2, 'b'), ('y', 1, 'c')

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO composite VALUES ('y', 1, 'again')

query
SELECT * FROM composite

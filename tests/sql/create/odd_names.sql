-- Faults: F82, F85
-- Names of tables and columns: what Spark's catalog and Avro both take.
statement
CREATE TABLE `select` (`from` INT, `ORDER` STRING, `_x1` INT, PRIMARY KEY (`from`)) USING hudilite WITH BUCKETS 2 ON (`from`) PARTITIONED BY (`ORDER`)

statement
INSERT INTO `select` VALUES (1, 'a', 2)

query
SELECT * FROM `select`

query
SHOW CREATE TABLE `select`

statement
CREATE TABLE 1st (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO 1st VALUES (1)

query
SELECT * FROM 1st

statement expect_error(HUDILITE_INVALID_NAME)
CREATE TABLE t (id INT, `` INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement expect_error(HUDILITE_INVALID_NAME)
CREATE TABLE t (id INT, `a:b,c=d` INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement expect_error(HUDILITE_INVALID_NAME)
CREATE TABLE t (id INT, `..` INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement expect_error(HUDILITE_INVALID_NAME)
CREATE TABLE t (id INT, `it's` INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement expect_error(HUDILITE_INVALID_NAME)
CREATE TABLE t (id INT, `😀` INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement expect_error(COLUMN_ALREADY_EXISTS)
CREATE TABLE t (id INT, ID INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

-- Locations.
statement
CREATE TABLE placed (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 LOCATION '{folder}/a b=c,d:e #%😀'

statement
INSERT INTO placed VALUES (1)

query
SELECT * FROM placed

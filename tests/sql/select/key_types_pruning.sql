-- A point look-up by every key type goes to the bucket the writer chose.
statement
CREATE TABLE by_string (k STRING, v INT, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 16

statement
CREATE TABLE by_int (k INT, v INT, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 16

statement
CREATE TABLE by_long (k BIGINT, v INT, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 16

statement
CREATE TABLE by_date (k DATE, v INT, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 16

statement
CREATE TABLE by_decimal (k DECIMAL(10,2), v INT, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 16

statement
CREATE TABLE by_wide_decimal (k DECIMAL(38,18), v INT, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 16

statement
INSERT INTO by_string VALUES ('1', 1), ('0', 2), ('100', 3), ('abc', 4), ('a:b', 5), ('a,b', 6), ('你好', 7)

statement
INSERT INTO by_int VALUES (0, 1), (-1, 2), (2147483647, 3), (-2147483648, 4)

statement
INSERT INTO by_long VALUES (0, 1), (-5, 2), (9223372036854775807, 3), (-9223372036854775808, 4)

statement
INSERT INTO by_date VALUES (DATE'2024-01-02', 1), (DATE'1969-12-31', 2), (DATE'0001-01-01', 3), (DATE'9999-12-31', 4), (DATE'1500-02-28', 5)

statement
INSERT INTO by_decimal VALUES (2.00, 1), (-3.25, 2), (0.00, 3), (99999999.99, 4), (-99999999.99, 5), (100, 6)

statement
INSERT INTO by_wide_decimal VALUES (0.000000000000000001, 1), (-0.000000000000000001, 2), (0, 3), (99999999999999999999.999999999999999999, 4)

query
SELECT k, v, substring(_hoodie_file_name, 1, 8) bucket, _hoodie_record_key FROM by_string

query
SELECT k, v, _hoodie_record_key FROM by_int

query
SELECT k, v, _hoodie_record_key FROM by_long

query
SELECT k, v, substring(_hoodie_file_name, 1, 8) bucket, _hoodie_record_key FROM by_date

query
SELECT k, v, _hoodie_record_key FROM by_decimal

query
SELECT k, v, _hoodie_record_key FROM by_wide_decimal

query
SELECT v FROM by_string WHERE k = '你好'

query
SELECT v FROM by_int WHERE k = -2147483648

query
SELECT v FROM by_int WHERE k IN (-1, 2147483647)

query
SELECT v FROM by_int WHERE k = 3000000000

query
SELECT v FROM by_long WHERE k = -9223372036854775808

query
SELECT v FROM by_date WHERE k = DATE'1500-02-28'

query
SELECT v FROM by_date WHERE k IN (DATE'0001-01-01', DATE'9999-12-31')

query
SELECT v FROM by_date WHERE k = '2024-01-02'

query
SELECT v FROM by_decimal WHERE k = 2

query
SELECT v FROM by_decimal WHERE k = 2.0

query
SELECT v FROM by_decimal WHERE k IN (-3.250, 99999999.99)

query
SELECT v FROM by_decimal WHERE k = 2.001

query
SELECT v FROM by_wide_decimal WHERE k = -0.000000000000000001

query
SELECT v FROM by_wide_decimal WHERE k = 0

query
MERGE INTO by_wide_decimal t USING (SELECT 0.00 k, 30 v) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = s.v

query
SELECT v FROM by_wide_decimal WHERE k = 0

-- Faults: F61, F78, F79, F84
-- A key is any text but null, empty, and what reads like another part of a composite key.
statement
CREATE TABLE t (k STRING, p STRING, v INT, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 4 PARTITIONED BY (p)

statement
INSERT INTO t VALUES ('a:b,c=d', 'plain', 1), ('..', 'a:b,c=d', 2), ('/', 'x/../y', 3), ('it''s "q"', 'it''s "q"', 4), ('\u0000', ' ', 5), ('😀', '😀', 6), (' ', '%2F', 7), ('__null__', '#', 8), ('back\\slash', 'back\\slash', 9), ('new\nline', 'new\nline', 10), ('nulls', NULL, 11), ('empties', '', 12), ('é', 'é', 13), ('*', '*', 14), ('{}', '{}', 15)

query
SELECT k, p, v, _hoodie_record_key, _hoodie_partition_path FROM t

query
SHOW PARTITIONS t

query
SELECT v FROM t WHERE p = 'x/../y'

query
SELECT v FROM t WHERE p = 'a:b,c=d'

query
SELECT v FROM t WHERE p IS NULL OR p = ''

query
SELECT v FROM t WHERE k = '😀' OR k = '..'

query
MERGE INTO t USING (SELECT k, p, v + 100 v FROM t) s ON t.k = s.k AND t.p <=> s.p WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *

-- Ten kilobytes in a key, and as the longest folder name that the file system takes.
statement
INSERT INTO t SELECT repeat('long', 2560), 'plain', 0

query
SELECT length(k), v FROM t WHERE k = repeat('long', 2560)

statement expect_error(HUDILITE_PARTITION_VALUE_INVALID)
INSERT INTO t SELECT 'x', repeat('long', 2560), 0

-- A folder has no such name.
statement
CREATE TABLE plain_dots (k STRING, p STRING, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 4 PARTITIONED BY (p)

statement
INSERT INTO plain_dots VALUES ('a', '..'), ('b', '.')

query
SELECT k, p, _hoodie_partition_path FROM plain_dots

statement expect_error(HUDILITE_PARTITION_VALUE_INVALID)
INSERT INTO plain_dots VALUES ('c', '__HIVE_DEFAULT_PARTITION__')

statement expect_error(HUDILITE_NULL_KEY)
INSERT INTO plain_dots VALUES ('', 'x')

statement
CREATE TABLE pairs (a STRING, b STRING, v INT, PRIMARY KEY (a, b)) USING hudilite WITH BUCKETS 4

statement
INSERT INTO pairs VALUES ('a:b,c=d', '', 1), ('', 'x', 2), (',', ':', 3), ('..', '😀', 4)

query
SELECT _hoodie_record_key, v FROM pairs

statement expect_error(HUDILITE_KEY_VALUE_INVALID)
INSERT INTO pairs VALUES ('1,b:2', 'x', 1)

statement expect_error(HUDILITE_KEY_VALUE_INVALID)
INSERT INTO pairs VALUES ('__null__', 'x', 1)

statement expect_error(HUDILITE_NULL_KEY)
INSERT INTO pairs VALUES ('', '', 1)

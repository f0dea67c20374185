-- Hand: a clause that Delta does not know
-- A bucket follows the columns named by ON, in key order; without ON it follows the whole key.
statement
CREATE TABLE by_one (a STRING, b INT, v INT, PRIMARY KEY (a, b)) USING hudilite WITH BUCKETS 8 ON (b)

statement
CREATE TABLE by_all (a STRING, b INT, v INT, PRIMARY KEY (a, b)) USING hudilite WITH BUCKETS 8

statement
CREATE TABLE by_both (a STRING, b INT, v INT, PRIMARY KEY (a, b)) USING hudilite WITH BUCKETS 8 ON (b, a)

statement
INSERT INTO by_one VALUES ('x', 1, 1), ('y', 1, 2), ('x', 2, 3), ('z', 2, 4)

statement
INSERT INTO by_all VALUES ('x', 1, 1), ('y', 1, 2), ('x', 2, 3), ('z', 2, 4)

statement
INSERT INTO by_both VALUES ('x', 1, 1), ('y', 1, 2), ('x', 2, 3), ('z', 2, 4)

query
SELECT a, b, _hoodie_record_key, substring(_hoodie_file_name, 1, 8) bucket FROM by_one

query
SELECT a, b, _hoodie_record_key, substring(_hoodie_file_name, 1, 8) bucket FROM by_all

query
SELECT a, b, _hoodie_record_key, substring(_hoodie_file_name, 1, 8) bucket FROM by_both

-- The largest count that is allowed, and the least.
statement
CREATE TABLE most (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 100000

statement
INSERT INTO most VALUES (1), (100)

query
SELECT id, substring(_hoodie_file_name, 1, 8) bucket FROM most

statement
CREATE TABLE least (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO least VALUES (1), (100)

query
SELECT id, substring(_hoodie_file_name, 1, 8) bucket FROM least

-- A table at a location of its own: dropping its name leaves the files.
statement
CREATE TABLE ext (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 LOCATION '{folder}/with space/ext'

statement
INSERT INTO ext VALUES (1, 'a'), (2, 'b')

query
SELECT * FROM ext

statement
DROP TABLE ext

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
SELECT * FROM ext

-- A managed table takes its files along.
statement
CREATE TABLE managed (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO managed VALUES (1, 'a')

statement
DROP TABLE managed

statement
CREATE TABLE managed (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 3

query
SELECT * FROM managed

-- Hand: a procedure
-- Faults: F88
-- Config: hoodie.parquet.small.file.limit = 0
statement
CREATE TABLE t (id STRING, p STRING, v INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)

query
CALL show_index(table => 't')

statement
INSERT INTO t SELECT concat('k', id), 'a', 1 FROM range(100, 200)

statement
INSERT INTO t SELECT concat('k', id, 'x'), 'a', 1 FROM range(150, 250)

statement
INSERT INTO t SELECT concat('k', id), 'a', 1 FROM range(300, 301)

statement
SET hoodie.bloom.index.filter.type = SIMPLE

statement
INSERT INTO t SELECT concat('k', id), 'b', 1 FROM range(100, 150)

query
CALL show_index('t')

query expect_error(PARSE_EMPTY_STATEMENT)
CALL show_index(table => '')

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
CALL show_index(table => 'not_there')

query
DESCRIBE PROCEDURE show_index

-- Log files have no keys of their own in the index: the base files are listed.
statement
CREATE TABLE logs (id INT, v STRING, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES (type = 'mor')

statement
INSERT INTO logs VALUES (1, 'a'), (2, 'b')

statement
UPDATE logs SET v = 'c' WHERE id = 1

query
CALL show_index(table => 'logs')

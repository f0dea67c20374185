-- Rows with ordering values that take each other's place: each source row counts for its own target row.
statement
CREATE TABLE t (id INT, p STRING, v STRING, ts INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) TBLPROPERTIES (preCombineField = 'ts')

statement
INSERT INTO t VALUES (1, 'a', 'in a', 5), (1, 'b', 'in b', 5), (2, 'a', 'alone', 5)

query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'a', 'b', 6), (1, 'b', 'c', 7), (1, 'b', 'lost', 6) AS q(id, p, new, ts)) s
ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET p = s.new, ts = s.ts

query
SELECT * FROM t ORDER BY id, p

query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'b', 'c', 9), (1, 'c', 'b', 8), (1, 'c', 'b', 8) AS q(id, p, new, ts)) s
ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET p = s.new, ts = s.ts

query
SELECT * FROM t ORDER BY id, p

-- Two rows of the table cannot have one place, whatever their ordering values are.
query expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO t USING (SELECT * FROM VALUES (1, 'b', 'd', 10), (1, 'c', 'd', 11) AS q(id, p, new, ts)) s
ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET p = s.new, ts = s.ts

-- Keys, too.
query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'b', 2, 10), (2, 'a', 1, 11), (1, 'c', 3, 12), (1, 'c', 4, 11), (1, 'c', 5, 1) AS q(id, p, new, ts)) s
ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET id = s.new, ts = s.ts

query
SELECT * FROM t ORDER BY id, p

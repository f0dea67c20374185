-- Hand: procedures are hudilite's own
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)

statement
INSERT INTO t SELECT id, 'old', if(id < 4, 'x', 'y') FROM range(1, 7)

query
CALL merge_preview("MERGE INTO t USING (VALUES (1, 'a', 'x'), (2, NULL, 'x'), (10, 'b', 'y'), (11, 'c', 'z') AS s (id, v, p)) s ON t.id = s.id AND t.p = s.p WHEN MATCHED AND s.v IS NULL THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")

query
CALL merge_preview("MERGE INTO t USING (VALUES (1, 'a', 'x'), (2, NULL, 'x'), (10, 'b', 'y'), (11, 'c', 'z') AS s (id, v, p)) s ON t.id = s.id AND t.p = s.p WHEN MATCHED AND s.v IS NULL THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *", 'statement')

query
MERGE INTO t USING (VALUES (1, 'a', 'x'), (2, NULL, 'x'), (10, 'b', 'y'), (11, 'c', 'z') AS s (id, v, p)) s ON t.id = s.id AND t.p = s.p WHEN MATCHED AND s.v IS NULL THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
CALL merge_preview("DELETE FROM t WHERE v = 'old'", 'statement')

query
CALL merge_preview("UPDATE t SET v = 'new' WHERE id = 5", 'rows')

-- A table without a key.
statement
CREATE TABLE k (n INT, v STRING) USING hudilite

statement
INSERT INTO k VALUES (1, 'a'), (2, 'b')

query
CALL merge_preview("INSERT INTO k VALUES (3, 'c')", 'rows')

query
CALL merge_preview("UPDATE k SET v = 'z' WHERE n = 2", 'rows')

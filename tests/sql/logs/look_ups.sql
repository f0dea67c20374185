-- Hand: log files
-- Look-ups of one key: rows of log files, of the base, deleted ones, and keys that no row can have.
statement
CREATE TABLE t (a STRING, b STRING, n INT, PRIMARY KEY (a, b)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (type = 'mor')

statement
INSERT INTO t VALUES ('x', '1', 1), ('x', '2', 2), ('y', '', 3), ('', 'z', 4)

query
SELECT n FROM t WHERE a = '' AND b = ''

statement
MERGE INTO t USING (SELECT * FROM VALUES ('x', '2', 20, 'U'), ('y', '', 30, 'U'), ('new', '1', 50, 'U'), ('', 'z', 0, 'D') AS s(a, b, n, op)) s ON t.a = s.a AND t.b = s.b
WHEN MATCHED AND s.op = 'D' THEN DELETE WHEN MATCHED THEN UPDATE SET n = s.n WHEN NOT MATCHED THEN INSERT (a, b, n) VALUES (s.a, s.b, s.n)

query
SELECT n FROM t WHERE a = '' AND b = ''

query
SELECT n FROM t WHERE a = 'x' AND b = '1'

query
SELECT n FROM t WHERE a = 'x' AND b = '2'

query
SELECT n FROM t WHERE a = 'y' AND b = ''

query
SELECT n FROM t WHERE a = '' AND b = 'z'

query
SELECT n FROM t WHERE a = 'new' AND b = '1'

query
SELECT n FROM t WHERE a = 'x' AND b = '3'

query
SELECT count(*) FROM t

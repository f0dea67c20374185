-- Where ON does not name the whole key, a source row that matches and one to insert are two rows, whatever their ordering values
-- are, also beside rows that WHEN NOT MATCHED BY SOURCE moves.
statement
CREATE TABLE hashed (id INT, v STRING, ts INT, p STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'ts')

statement
INSERT INTO hashed VALUES (1, 'a', 5, 'x'), (2, 'b', 5, 'x'), (3, 'c', 5, 'x'), (4, 'd', 5, 'x')

query
MERGE INTO hashed t USING (SELECT * FROM VALUES (70, 'a', 9, 'x'), (1, 'lower', 1, 'x'), (71, 'b', 6, 'x'), (2, 'higher', 8, 'x'), (3, 'left', 1, 'x') AS q(id, v, ts, p)) s ON t.v = s.v
WHEN MATCHED THEN UPDATE SET id = t.id + 20, ts = s.ts
WHEN NOT MATCHED THEN INSERT *
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET id = t.id + 10

query
SELECT * FROM hashed ORDER BY id

query
MERGE INTO hashed t USING (SELECT * FROM VALUES (1, 'lower', 9, 'x'), (1, 'instead', 1, 'x'), (2, 'higher', 8, 'x'), (70, 'left', 7, 'x'), (3, 'above', 12, 'x'), (2, 'beside', 1, 'x') AS q(id, v, ts, p)) s ON t.v = s.v
WHEN MATCHED THEN DELETE
WHEN NOT MATCHED THEN INSERT *
WHEN NOT MATCHED BY SOURCE AND t.id < 20 THEN UPDATE SET id = t.id + 1
WHEN NOT MATCHED BY SOURCE THEN DELETE

query
SELECT * FROM hashed ORDER BY id

statement
CREATE TABLE bloom (id INT, v STRING, ts INT, p STRING, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES (preCombineField = 'ts')

statement
INSERT INTO bloom VALUES (1, 'a', 5, 'x'), (2, 'b', 5, 'x'), (3, 'c', 5, 'x'), (4, 'd', 5, 'x')

query
MERGE INTO bloom t USING (SELECT * FROM VALUES (70, 'a', 9, 'x'), (1, 'lower', 1, 'x'), (71, 'b', 6, 'x'), (2, 'higher', 8, 'x'), (3, 'left', 1, 'x') AS q(id, v, ts, p)) s ON t.v = s.v
WHEN MATCHED THEN UPDATE SET id = t.id + 20, ts = s.ts
WHEN NOT MATCHED THEN INSERT *
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET id = t.id + 10

query
SELECT * FROM bloom ORDER BY id

query
MERGE INTO bloom t USING (SELECT * FROM VALUES (1, 'lower', 9, 'x'), (1, 'instead', 1, 'x'), (2, 'higher', 8, 'x'), (70, 'left', 7, 'x'), (3, 'above', 12, 'x'), (2, 'beside', 1, 'x') AS q(id, v, ts, p)) s ON t.v = s.v
WHEN MATCHED THEN DELETE
WHEN NOT MATCHED THEN INSERT *
WHEN NOT MATCHED BY SOURCE AND t.id < 20 THEN UPDATE SET id = t.id + 1
WHEN NOT MATCHED BY SOURCE THEN DELETE

query
SELECT * FROM bloom ORDER BY id

statement
CREATE TABLE logs (id INT, v STRING, ts INT, p STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (type = 'mor', preCombineField = 'ts')

statement
INSERT INTO logs VALUES (1, 'a', 5, 'x'), (2, 'b', 5, 'x'), (3, 'c', 5, 'x'), (4, 'd', 5, 'x')

query
MERGE INTO logs t USING (SELECT * FROM VALUES (70, 'a', 9, 'x'), (1, 'lower', 1, 'x'), (71, 'b', 6, 'x'), (2, 'higher', 8, 'x'), (3, 'left', 1, 'x') AS q(id, v, ts, p)) s ON t.v = s.v
WHEN MATCHED THEN UPDATE SET id = t.id + 20, ts = s.ts
WHEN NOT MATCHED THEN INSERT *
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET id = t.id + 10

query
SELECT * FROM logs ORDER BY id

query
MERGE INTO logs t USING (SELECT * FROM VALUES (1, 'lower', 9, 'x'), (1, 'instead', 1, 'x'), (2, 'higher', 8, 'x'), (70, 'left', 7, 'x'), (3, 'above', 12, 'x'), (2, 'beside', 1, 'x') AS q(id, v, ts, p)) s ON t.v = s.v
WHEN MATCHED THEN DELETE
WHEN NOT MATCHED THEN INSERT *
WHEN NOT MATCHED BY SOURCE AND t.id < 20 THEN UPDATE SET id = t.id + 1
WHEN NOT MATCHED BY SOURCE THEN DELETE

query
SELECT * FROM logs ORDER BY id

statement
CREATE TABLE parted (id INT, v STRING, ts INT, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'ts')

statement
INSERT INTO parted VALUES (1, 'a', 5, 'x'), (2, 'b', 5, 'x'), (3, 'c', 5, 'x'), (4, 'd', 5, 'x')

query
MERGE INTO parted t USING (SELECT * FROM VALUES (70, 'a', 9, 'x'), (1, 'lower', 1, 'x'), (71, 'b', 6, 'x'), (2, 'higher', 8, 'x'), (3, 'left', 1, 'x') AS q(id, v, ts, p)) s ON t.v = s.v
WHEN MATCHED THEN UPDATE SET id = t.id + 20, ts = s.ts
WHEN NOT MATCHED THEN INSERT *
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET id = t.id + 10

query
SELECT * FROM parted ORDER BY id

query
MERGE INTO parted t USING (SELECT * FROM VALUES (1, 'lower', 9, 'x'), (1, 'instead', 1, 'x'), (2, 'higher', 8, 'x'), (70, 'left', 7, 'x'), (3, 'above', 12, 'x'), (2, 'beside', 1, 'x') AS q(id, v, ts, p)) s ON t.v = s.v
WHEN MATCHED THEN DELETE
WHEN NOT MATCHED THEN INSERT *
WHEN NOT MATCHED BY SOURCE AND t.id < 20 THEN UPDATE SET id = t.id + 1
WHEN NOT MATCHED BY SOURCE THEN DELETE

query
SELECT * FROM parted ORDER BY id

statement
CREATE TABLE bloom_parts (id INT, v STRING, ts INT, p STRING, PRIMARY KEY (id, p)) USING hudilite PARTITIONED BY (p) TBLPROPERTIES (preCombineField = 'ts')

statement
INSERT INTO bloom_parts VALUES (1, 'a', 5, 'x'), (2, 'b', 5, 'x'), (3, 'c', 5, 'x'), (4, 'd', 5, 'x')

query
MERGE INTO bloom_parts t USING (SELECT * FROM VALUES (70, 'a', 9, 'x'), (1, 'lower', 1, 'x'), (71, 'b', 6, 'x'), (2, 'higher', 8, 'x') AS q(id, v, ts, p)) s ON t.v = s.v
WHEN MATCHED THEN DELETE
WHEN NOT MATCHED THEN INSERT *
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET p = 'y'

query
SELECT * FROM bloom_parts ORDER BY id

statement
CREATE TABLE everywhere (id INT, v STRING, ts INT, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) TBLPROPERTIES (preCombineField = 'ts', 'hudilite.index.global' = 'true')

statement
INSERT INTO everywhere VALUES (1, 'a', 5, 'x'), (2, 'b', 5, 'x'), (3, 'c', 5, 'x'), (4, 'd', 5, 'x')

query
MERGE INTO everywhere t USING (SELECT * FROM VALUES (70, 'a', 9, 'x'), (1, 'lower', 1, 'x'), (71, 'b', 6, 'x'), (2, 'higher', 8, 'x') AS q(id, v, ts, p)) s ON t.v = s.v
WHEN MATCHED THEN DELETE
WHEN NOT MATCHED THEN INSERT *
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET p = 'y'

query
SELECT * FROM everywhere ORDER BY id

statement
CREATE TABLE two (id INT, n INT, v STRING, ts INT, PRIMARY KEY (id, n)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'ts')

statement
INSERT INTO two VALUES (1, 1, 'a', 5), (1, 2, 'b', 5), (2, 1, 'c', 5), (3, 1, 'd', 5)

query
MERGE INTO two t USING (SELECT * FROM VALUES (2, 7, 'c', 9), (2, 1, 'lower', 1), (1, 1, 'other', 8) AS q(id, n, v, ts)) s ON t.id = s.id AND t.v = s.v
WHEN MATCHED THEN UPDATE SET v = 'kept', n = s.n, ts = s.ts
WHEN NOT MATCHED THEN INSERT *
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET n = t.n + 10

query
SELECT * FROM two ORDER BY id, n

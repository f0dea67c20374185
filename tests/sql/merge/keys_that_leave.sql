-- Hand: Delta has no ordering field
-- An inserted row takes the key of a row that leaves, whatever their ordering values are: rows that no source row matches
-- are not compared with source rows.
statement
CREATE TABLE hashed (id INT, v STRING, ts INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'ts')

statement
INSERT INTO hashed VALUES (1, 'a', 5), (2, 'b', 5), (3, 'c', 5), (4, 'd', 5)

query
MERGE INTO hashed t USING (SELECT * FROM VALUES (1, 'lower', 1), (2, 'higher', 9) AS q(id, v, ts)) s ON t.id = s.id AND t.v = s.v
WHEN NOT MATCHED THEN INSERT *
WHEN NOT MATCHED BY SOURCE AND t.id < 3 THEN UPDATE SET id = t.id + 10
WHEN NOT MATCHED BY SOURCE AND t.id = 4 THEN DELETE

query
SELECT * FROM hashed ORDER BY id

query
MERGE INTO hashed t USING (SELECT * FROM VALUES (1, 'gone', 0), (2, 'higher', 10), (3, 'other', 7) AS q(id, v, ts)) s ON t.id = s.id AND t.v = s.v
WHEN MATCHED THEN UPDATE SET id = 1, ts = s.ts
WHEN NOT MATCHED AND s.id = 3 THEN INSERT *
WHEN NOT MATCHED BY SOURCE AND t.id IN (1, 3) THEN DELETE
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET id = t.id + 1

query
SELECT * FROM hashed ORDER BY id

statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO hashed t USING (SELECT 3 id, 'new' v, 8 ts) s ON t.id = s.id AND t.v = s.v
WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE AND t.id > 3 THEN UPDATE SET id = t.id + 1

statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO hashed t USING (SELECT 13 id, 'new' v, 8 ts) s ON t.id = s.id AND t.v = s.v
WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE AND t.id > 3 THEN UPDATE SET id = t.id + 1

query
MERGE INTO hashed t USING (SELECT 3 id, 'new' v, 1 ts) s ON t.id = s.id AND t.v = s.v
WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN UPDATE SET id = t.id + 1

query
SELECT * FROM hashed ORDER BY id

-- ON does not name the key: the pair and the row to insert are two.
query
MERGE INTO hashed t USING (SELECT * FROM VALUES (70, 'new', 9), (3, 'instead', 1), (13, 'instead too', 12), (71, 'a', 11) AS q(id, v, ts)) s ON t.v = s.v
WHEN MATCHED THEN DELETE WHEN NOT MATCHED AND s.id < 71 THEN INSERT *

query
SELECT * FROM hashed ORDER BY id

query
CALL verify(table => 'hashed', level => 'rows')

statement
CREATE TABLE bloom (id INT, v STRING, ts INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES (preCombineField = 'ts')

statement
INSERT INTO bloom VALUES (1, 'a', 5), (2, 'b', 5), (3, 'c', 5), (4, 'd', 5)

query
MERGE INTO bloom t USING (SELECT * FROM VALUES (1, 'lower', 1), (2, 'higher', 9) AS q(id, v, ts)) s ON t.id = s.id AND t.v = s.v
WHEN NOT MATCHED THEN INSERT *
WHEN NOT MATCHED BY SOURCE AND t.id < 3 THEN UPDATE SET id = t.id + 10
WHEN NOT MATCHED BY SOURCE AND t.id = 4 THEN DELETE

query
SELECT * FROM bloom ORDER BY id

query
MERGE INTO bloom t USING (SELECT * FROM VALUES (1, 'gone', 0), (2, 'higher', 10), (3, 'other', 7) AS q(id, v, ts)) s ON t.id = s.id AND t.v = s.v
WHEN MATCHED THEN UPDATE SET id = 1, ts = s.ts
WHEN NOT MATCHED AND s.id = 3 THEN INSERT *
WHEN NOT MATCHED BY SOURCE AND t.id IN (1, 3) THEN DELETE
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET id = t.id + 1

query
SELECT * FROM bloom ORDER BY id

statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO bloom t USING (SELECT 3 id, 'new' v, 8 ts) s ON t.id = s.id AND t.v = s.v
WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE AND t.id > 3 THEN UPDATE SET id = t.id + 1

statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO bloom t USING (SELECT 13 id, 'new' v, 8 ts) s ON t.id = s.id AND t.v = s.v
WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE AND t.id > 3 THEN UPDATE SET id = t.id + 1

query
MERGE INTO bloom t USING (SELECT 3 id, 'new' v, 1 ts) s ON t.id = s.id AND t.v = s.v
WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN UPDATE SET id = t.id + 1

query
SELECT * FROM bloom ORDER BY id

query
MERGE INTO bloom t USING (SELECT * FROM VALUES (70, 'new', 9), (3, 'instead', 1), (13, 'instead too', 12), (71, 'a', 11) AS q(id, v, ts)) s ON t.v = s.v
WHEN MATCHED THEN DELETE WHEN NOT MATCHED AND s.id < 71 THEN INSERT *

query
SELECT * FROM bloom ORDER BY id

query
CALL verify(table => 'bloom', level => 'rows')

statement
CREATE TABLE hashed_logs (id INT, v STRING, ts INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (type = 'mor', 'hoodie.table.version' = '6', preCombineField = 'ts')

statement
INSERT INTO hashed_logs VALUES (1, 'a', 5), (2, 'b', 5), (3, 'c', 5), (4, 'd', 5)

query
MERGE INTO hashed_logs t USING (SELECT * FROM VALUES (1, 'lower', 1), (2, 'higher', 9) AS q(id, v, ts)) s ON t.id = s.id AND t.v = s.v
WHEN NOT MATCHED THEN INSERT *
WHEN NOT MATCHED BY SOURCE AND t.id < 3 THEN UPDATE SET id = t.id + 10
WHEN NOT MATCHED BY SOURCE AND t.id = 4 THEN DELETE

query
SELECT * FROM hashed_logs ORDER BY id

query
MERGE INTO hashed_logs t USING (SELECT * FROM VALUES (1, 'gone', 0), (2, 'higher', 10), (3, 'other', 7) AS q(id, v, ts)) s ON t.id = s.id AND t.v = s.v
WHEN MATCHED THEN UPDATE SET id = 1, ts = s.ts
WHEN NOT MATCHED AND s.id = 3 THEN INSERT *
WHEN NOT MATCHED BY SOURCE AND t.id IN (1, 3) THEN DELETE
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET id = t.id + 1

query
SELECT * FROM hashed_logs ORDER BY id

statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO hashed_logs t USING (SELECT 3 id, 'new' v, 8 ts) s ON t.id = s.id AND t.v = s.v
WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE AND t.id > 3 THEN UPDATE SET id = t.id + 1

statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO hashed_logs t USING (SELECT 13 id, 'new' v, 8 ts) s ON t.id = s.id AND t.v = s.v
WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE AND t.id > 3 THEN UPDATE SET id = t.id + 1

query
MERGE INTO hashed_logs t USING (SELECT 3 id, 'new' v, 1 ts) s ON t.id = s.id AND t.v = s.v
WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN UPDATE SET id = t.id + 1

query
SELECT * FROM hashed_logs ORDER BY id

query
MERGE INTO hashed_logs t USING (SELECT * FROM VALUES (70, 'new', 9), (3, 'instead', 1), (13, 'instead too', 12), (71, 'a', 11) AS q(id, v, ts)) s ON t.v = s.v
WHEN MATCHED THEN DELETE WHEN NOT MATCHED AND s.id < 71 THEN INSERT *

query
SELECT * FROM hashed_logs ORDER BY id

query
CALL verify(table => 'hashed_logs', level => 'rows')

statement
CREATE TABLE bloom_logs (id INT, v STRING, ts INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES (type = 'mor', 'hoodie.table.version' = '6', preCombineField = 'ts')

statement
INSERT INTO bloom_logs VALUES (1, 'a', 5), (2, 'b', 5), (3, 'c', 5), (4, 'd', 5)

query
MERGE INTO bloom_logs t USING (SELECT * FROM VALUES (1, 'lower', 1), (2, 'higher', 9) AS q(id, v, ts)) s ON t.id = s.id AND t.v = s.v
WHEN NOT MATCHED THEN INSERT *
WHEN NOT MATCHED BY SOURCE AND t.id < 3 THEN UPDATE SET id = t.id + 10
WHEN NOT MATCHED BY SOURCE AND t.id = 4 THEN DELETE

query
SELECT * FROM bloom_logs ORDER BY id

query
MERGE INTO bloom_logs t USING (SELECT * FROM VALUES (1, 'gone', 0), (2, 'higher', 10), (3, 'other', 7) AS q(id, v, ts)) s ON t.id = s.id AND t.v = s.v
WHEN MATCHED THEN UPDATE SET id = 1, ts = s.ts
WHEN NOT MATCHED AND s.id = 3 THEN INSERT *
WHEN NOT MATCHED BY SOURCE AND t.id IN (1, 3) THEN DELETE
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET id = t.id + 1

query
SELECT * FROM bloom_logs ORDER BY id

statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO bloom_logs t USING (SELECT 3 id, 'new' v, 8 ts) s ON t.id = s.id AND t.v = s.v
WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE AND t.id > 3 THEN UPDATE SET id = t.id + 1

statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO bloom_logs t USING (SELECT 13 id, 'new' v, 8 ts) s ON t.id = s.id AND t.v = s.v
WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE AND t.id > 3 THEN UPDATE SET id = t.id + 1

query
MERGE INTO bloom_logs t USING (SELECT 3 id, 'new' v, 1 ts) s ON t.id = s.id AND t.v = s.v
WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN UPDATE SET id = t.id + 1

query
SELECT * FROM bloom_logs ORDER BY id

query
MERGE INTO bloom_logs t USING (SELECT * FROM VALUES (70, 'new', 9), (3, 'instead', 1), (13, 'instead too', 12), (71, 'a', 11) AS q(id, v, ts)) s ON t.v = s.v
WHEN MATCHED THEN DELETE WHEN NOT MATCHED AND s.id < 71 THEN INSERT *

query
SELECT * FROM bloom_logs ORDER BY id

query
CALL verify(table => 'bloom_logs', level => 'rows')

statement
CREATE TABLE logs_nine (id INT, v STRING, ts INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES (type = 'mor', 'hoodie.table.version' = '9', preCombineField = 'ts')

statement
INSERT INTO logs_nine VALUES (1, 'a', 5), (2, 'b', 5), (3, 'c', 5), (4, 'd', 5)

query
MERGE INTO logs_nine t USING (SELECT * FROM VALUES (1, 'lower', 1), (2, 'higher', 9) AS q(id, v, ts)) s ON t.id = s.id AND t.v = s.v
WHEN NOT MATCHED THEN INSERT *
WHEN NOT MATCHED BY SOURCE AND t.id < 3 THEN UPDATE SET id = t.id + 10
WHEN NOT MATCHED BY SOURCE AND t.id = 4 THEN DELETE

query
SELECT * FROM logs_nine ORDER BY id

query
MERGE INTO logs_nine t USING (SELECT * FROM VALUES (1, 'gone', 0), (2, 'higher', 10), (3, 'other', 7) AS q(id, v, ts)) s ON t.id = s.id AND t.v = s.v
WHEN MATCHED THEN UPDATE SET id = 1, ts = s.ts
WHEN NOT MATCHED AND s.id = 3 THEN INSERT *
WHEN NOT MATCHED BY SOURCE AND t.id IN (1, 3) THEN DELETE
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET id = t.id + 1

query
SELECT * FROM logs_nine ORDER BY id

statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO logs_nine t USING (SELECT 3 id, 'new' v, 8 ts) s ON t.id = s.id AND t.v = s.v
WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE AND t.id > 3 THEN UPDATE SET id = t.id + 1

statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO logs_nine t USING (SELECT 13 id, 'new' v, 8 ts) s ON t.id = s.id AND t.v = s.v
WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE AND t.id > 3 THEN UPDATE SET id = t.id + 1

query
MERGE INTO logs_nine t USING (SELECT 3 id, 'new' v, 1 ts) s ON t.id = s.id AND t.v = s.v
WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN UPDATE SET id = t.id + 1

query
SELECT * FROM logs_nine ORDER BY id

query
MERGE INTO logs_nine t USING (SELECT * FROM VALUES (70, 'new', 9), (3, 'instead', 1), (13, 'instead too', 12), (71, 'a', 11) AS q(id, v, ts)) s ON t.v = s.v
WHEN MATCHED THEN DELETE WHEN NOT MATCHED AND s.id < 71 THEN INSERT *

query
SELECT * FROM logs_nine ORDER BY id

query
CALL verify(table => 'logs_nine', level => 'rows')

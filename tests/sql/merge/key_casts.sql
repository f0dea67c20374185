-- A key and a source of another type.
statement
CREATE TABLE i (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO i VALUES (1, 'o'), (2, 'o'), (3, 'o')

query
MERGE INTO i t USING (SELECT * FROM VALUES (1L), (5000000000L) AS q(id)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'bigint'

query
MERGE INTO i t USING (SELECT * FROM VALUES (2.00BD), (3.50BD) AS q(id)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'decimal'

query
MERGE INTO i t USING (SELECT * FROM VALUES (3.0D), (2.5D), (double('NaN')) AS q(id)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'double'

query
MERGE INTO i t USING (SELECT * FROM VALUES ('1') AS q(id)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = concat(v, ' string')

-- UPDATE SET * keeps the key, INSERT * casts it as any insert does.
query
MERGE INTO i t USING (SELECT * FROM VALUES (1.00BD, 'd'), (7.00BD, 'd') AS q(id, v)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM i ORDER BY id

-- A number beyond the range of the key column matches no row, and cannot be inserted.
query
MERGE INTO i t USING (SELECT 5000000000L id, 'x' v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED AND s.id < 10 THEN INSERT *

statement expect_error(CAST_OVERFLOW_IN_TABLE_INSERT)
MERGE INTO i t USING (SELECT 5000000000L id, 'x' v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *

statement expect_error(CAST_OVERFLOW)
MERGE INTO i t USING (SELECT 5000000000L id, 'x' v) s ON t.id = s.id
WHEN NOT MATCHED THEN INSERT (id, v) VALUES (CAST(s.id AS INT), s.v)

-- The road by join: a sub-query in a clause.
statement expect_error(CAST_OVERFLOW_IN_TABLE_INSERT)
MERGE INTO i t USING (SELECT 5000000000L id, 'x' v) s ON t.id = s.id
WHEN MATCHED AND t.v IN (SELECT v FROM i WHERE id < 0) THEN DELETE WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM i ORDER BY id

-- No value of one type is a value of the other.
statement expect_error(DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES)
MERGE INTO i t USING (SELECT true id) s ON t.id = s.id WHEN MATCHED THEN DELETE

statement expect_error(DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES)
MERGE INTO i t USING (SELECT array(1) id) s ON t.id = s.id WHEN MATCHED THEN DELETE

statement
CREATE TABLE d (day DATE, v STRING, PRIMARY KEY (day)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO d VALUES (DATE'2024-03-31', 'o'), (DATE'1582-10-04', 'o')

query
MERGE INTO d t USING (SELECT * FROM VALUES ('2024-03-31', 'string') AS q(day, v)) s ON t.day = s.day
WHEN MATCHED THEN UPDATE SET v = s.v

query
MERGE INTO d t USING (SELECT * FROM VALUES (TIMESTAMP'2024-03-31 00:00:00'), (TIMESTAMP'1582-10-04 01:00:00') AS q(day)) s ON t.day = s.day
WHEN MATCHED THEN UPDATE SET v = 'timestamp'

query
SELECT * FROM d ORDER BY day

-- A text key and a number: the number is compared, as Spark does.
statement
CREATE TABLE x (id STRING, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO x VALUES ('1', 'o'), ('01', 'o'), ('2', 'o')

query
MERGE INTO x t USING (SELECT 1 id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'one'

query
SELECT * FROM x ORDER BY id

statement
CREATE TABLE c (id DECIMAL(6,2), v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO c VALUES (1.50, 'o'), (2.00, 'o')

query
MERGE INTO c t USING (SELECT * FROM VALUES (1.5000BD), (2.0001BD) AS q(id)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'decimal'

query
MERGE INTO c t USING (SELECT 2 id, 'int' v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *

query
SELECT * FROM c ORDER BY id

-- Faults: F77
-- Hand: Delta counts the source rows that match; here, and in the standard, those that meet a clause
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')

-- Two source rows for one target row.
statement expect_error(HUDILITE_MERGE_CARDINALITY)
MERGE INTO t USING (SELECT * FROM VALUES (1, 'x'), (1, 'y'), (2, 'z') AS q(id, v)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *

-- Equal source rows are two rows all the same.
statement expect_error(HUDILITE_MERGE_CARDINALITY)
MERGE INTO t USING (SELECT * FROM VALUES (1, 'x'), (1, 'x') AS q(id, v)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *

statement expect_error(HUDILITE_MERGE_CARDINALITY)
MERGE INTO t USING (SELECT * FROM VALUES (2, 'x'), (2, 'x') AS q(id, v)) s ON t.id = s.id
WHEN MATCHED AND s.v = 'x' THEN DELETE WHEN NOT MATCHED THEN INSERT *

-- One key that comes often is named once; up to five are named.
statement expect_error(HUDILITE_MERGE_CARDINALITY)
MERGE INTO t USING (SELECT 3 id, 'x' v FROM range(10)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *

statement
CREATE TABLE single (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO single SELECT id, 'old' FROM range(1, 9)

statement expect_error(HUDILITE_MERGE_CARDINALITY)
MERGE INTO single t USING (SELECT id % 10 id, 'x' v FROM range(20)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *

-- Two source rows of which one meets a clause: nothing is changed twice.
query
MERGE INTO single t USING (SELECT * FROM VALUES (1, 'x'), (1, 'y') AS q(id, v)) s ON t.id = s.id WHEN MATCHED AND s.v = 'y' THEN UPDATE SET *

query
SELECT * FROM single WHERE id < 3

-- Two source rows for no target row, both inserted: the key would come twice.
statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO t USING (SELECT * FROM VALUES (8, 'x'), (8, 'y') AS q(id, v)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

query
SELECT count(DISTINCT _hoodie_commit_time) FROM t

-- With a condition that leaves one row to insert there is nothing wrong.
query
MERGE INTO t USING (SELECT * FROM VALUES (8, 'x'), (8, 'y') AS q(id, v)) s ON t.id = s.id WHEN NOT MATCHED AND s.v = 'x' THEN INSERT *

-- Without a MATCHED clause two source rows for one target row do nothing.
query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'x'), (1, 'y') AS q(id, v)) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *

-- A lone unconditional DELETE: the row goes once, whoever says so.
query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'x'), (1, 'y') AS q(id, v)) s ON t.id = s.id WHEN MATCHED THEN DELETE

query
SELECT * FROM t

-- A lone unconditional DELETE beside rows that WHEN NOT MATCHED BY SOURCE moves: the clause of the
-- moved rows is no other WHEN MATCHED clause.
statement
CREATE TABLE places (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES ('hudilite.index.global' = 'true')

statement
INSERT INTO places VALUES (1, 'x', 'a'), (2, 'y', 'a'), (3, 'z', 'b')

query
MERGE INTO places t USING (SELECT * FROM VALUES (1, 'x', 'c'), (1, 'y', 'a'), (4, 'n', 'c') AS q(id, v, p)) s ON t.id = s.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN UPDATE SET p = 'c'

query
SELECT * FROM places

-- With a condition the DELETE may fire for one of them only.
statement expect_error(HUDILITE_MERGE_CARDINALITY)
MERGE INTO places t USING (SELECT * FROM VALUES (2, 'x', 'c'), (2, 'y', 'a') AS q(id, v, p)) s ON t.id = s.id WHEN MATCHED AND s.v > 'a' THEN DELETE WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN UPDATE SET p = 'd'

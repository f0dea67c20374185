statement
CREATE TABLE t (id INT, v STRING, n INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t SELECT id, 'old', id * 10 FROM range(1, 9)

statement
CREATE TEMPORARY VIEW s AS SELECT * FROM VALUES (1, 'x', 1), (2, 'y', 2), (3, 'x', NULL), (4, 'y', 4), (20, 'x', 20), (21, 'y', NULL), (22, 'z', 22) AS s(id, v, n)

-- The first clause whose condition holds wins; a null condition does not hold.
query
MERGE INTO t USING s ON t.id = s.id
WHEN MATCHED AND s.v = 'x' AND s.n > 0 THEN DELETE
WHEN MATCHED AND s.v = 'x' THEN UPDATE SET v = 'x with null n'
WHEN MATCHED AND t.n >= 40 THEN UPDATE SET v = s.v, n = t.n + s.n
WHEN NOT MATCHED AND s.v = 'z' THEN INSERT (id, v, n) VALUES (s.id, 'z', 0)
WHEN NOT MATCHED AND s.n IS NOT NULL THEN INSERT *

query
SELECT * FROM t

-- A MATCHED clause that no row meets leaves the row alone, and counts nothing.
query
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND false THEN DELETE

query
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND s.n > t.n THEN DELETE

query
SELECT count(*) FROM t

-- An unconditional clause last takes the rest.
query
MERGE INTO t USING s ON t.id = s.id
WHEN MATCHED AND t.id = 2 THEN UPDATE SET v = 'two'
WHEN MATCHED THEN UPDATE SET v = 'rest'
WHEN NOT MATCHED AND s.id = 21 THEN INSERT (id) VALUES (s.id)
WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

-- Conditions with sub-expressions over both sides and nulls.
query
MERGE INTO t USING s ON t.id = s.id
WHEN MATCHED AND coalesce(s.n, -1) < 0 AND NOT (t.v <=> s.v) THEN UPDATE SET n = coalesce(t.n, 0) - 1
WHEN MATCHED AND t.n IS NULL THEN UPDATE SET n = 0

query
SELECT * FROM t

-- Only the last clause of a kind may lack a condition: Spark refuses the rest itself.
statement expect_error(MERGE_WITHOUT_WHEN)
MERGE INTO t USING s ON t.id = s.id

statement expect_error(NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION)
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE WHEN MATCHED THEN UPDATE SET v = 'b'

statement expect_error(NON_LAST_NOT_MATCHED_BY_TARGET_CLAUSE_OMIT_CONDITION)
MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED AND s.id = 1 THEN INSERT *

statement expect_error(UNRESOLVED_COLUMN.WITH_SUGGESTION)
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.absent

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = s.v

query
SELECT count(*), sum(n) FROM t

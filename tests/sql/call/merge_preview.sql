-- Hand: procedures are hudilite's own
statement
CREATE TABLE t (id INT, p STRING, n INT, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO t SELECT id, if(id < 6, 'x', 'y'), id * 10, 'old' FROM range(1, 11)

-- What a MERGE would do, by partition, by file group, and with rows before and after.
query
CALL merge_preview(statement => "MERGE INTO t USING (VALUES (1, 'x', -1, 'a'), (2, 'x', 0, 'b'), (7, 'y', 0, 'c'), (20, 'z', 0, 'd'), (21, 'x', 0, 'e') AS s (id, p, n, v)) s ON t.id = s.id AND t.p = s.p WHEN MATCHED AND s.n < 0 THEN DELETE WHEN MATCHED THEN UPDATE SET n = t.n + 1, v = s.v WHEN NOT MATCHED THEN INSERT *")

query
CALL merge_preview(show => 'files', statement => "MERGE INTO t USING (VALUES (1, 'x', -1, 'a'), (2, 'x', 0, 'b'), (7, 'y', 0, 'c'), (20, 'z', 0, 'd'), (21, 'x', 0, 'e') AS s (id, p, n, v)) s ON t.id = s.id AND t.p = s.p WHEN MATCHED AND s.n < 0 THEN DELETE WHEN MATCHED THEN UPDATE SET n = t.n + 1, v = s.v WHEN NOT MATCHED THEN INSERT *")

query
CALL merge_preview(show => 'rows', statement => "MERGE INTO t USING (VALUES (1, 'x', -1, 'a'), (2, 'x', 0, 'b'), (7, 'y', 0, 'c'), (20, 'z', 0, 'd'), (21, 'x', 0, 'e') AS s (id, p, n, v)) s ON t.id = s.id AND t.p = s.p WHEN MATCHED AND s.n < 0 THEN DELETE WHEN MATCHED THEN UPDATE SET n = t.n + 1, v = s.v WHEN NOT MATCHED THEN INSERT *")

query
CALL system.merge_preview(show => 'STATEMENT', statement => "MERGE INTO t USING (VALUES (1, 'x', -1, 'a'), (2, 'x', 0, 'b'), (7, 'y', 0, 'c'), (20, 'z', 0, 'd'), (21, 'x', 0, 'e') AS s (id, p, n, v)) s ON t.id = s.id AND t.p = s.p WHEN MATCHED AND s.n < 0 THEN DELETE WHEN MATCHED THEN UPDATE SET n = t.n + 1, v = s.v WHEN NOT MATCHED THEN INSERT *")

-- Nothing has happened.
query
SELECT operation, rows_written FROM t.history

query
SELECT count(*), sum(n), count(DISTINCT v) FROM t

-- The statement itself answers with the same counts.
query
MERGE INTO t USING (VALUES (1, 'x', -1, 'a'), (2, 'x', 0, 'b'), (7, 'y', 0, 'c'), (20, 'z', 0, 'd'), (21, 'x', 0, 'e') AS s (id, p, n, v)) s ON t.id = s.id AND t.p = s.p WHEN MATCHED AND s.n < 0 THEN DELETE WHEN MATCHED THEN UPDATE SET n = t.n + 1, v = s.v WHEN NOT MATCHED THEN INSERT *

-- UPDATE and DELETE, with a sample of one row of each kind.
query
CALL merge_preview("UPDATE t SET v = concat(v, '!') WHERE n > 50")

query
CALL merge_preview("UPDATE t SET v = concat(v, '!') WHERE n > 50", 'rows', 1)

query
CALL merge_preview("DELETE FROM t WHERE id IN (2, 8)", 'files')

query
CALL merge_preview("DELETE FROM t WHERE n = 12345")

query
CALL merge_preview("DELETE FROM t WHERE n = 12345", 'statement')

-- A row that goes to another partition counts as updated there where it was.
query
CALL merge_preview("UPDATE t SET p = 'y' WHERE id = 3")

query
CALL merge_preview("UPDATE t SET p = 'y' WHERE id = 3", 'rows')

query
UPDATE t SET p = 'y' WHERE id = 3

-- Whole partitions are hidden, and no file of them is rewritten.
query
CALL merge_preview("DELETE FROM t WHERE p = 'y'")

query
CALL merge_preview("DELETE FROM t WHERE p = 'y'", 'files')

query
CALL merge_preview("DELETE FROM t WHERE p = 'y'", 'rows', 2)

query
DELETE FROM t WHERE p = 'y'

query
CALL merge_preview("INSERT OVERWRITE t PARTITION (p = 'x') VALUES (4, 1, 'new'), (40, 2, 'new')")

query
CALL merge_preview("INSERT INTO t REPLACE WHERE p = 'z' VALUES (30, 'z', 1, 'new')", 'rows')

query expect_error(HUDILITE_REPLACE_MISMATCH)
CALL merge_preview("INSERT INTO t REPLACE WHERE p = 'z' VALUES (30, 'x', 1, 'new')")

-- An INSERT of a key that exists fails with the statement's own error.
query
CALL merge_preview("INSERT INTO t VALUES (50, 'x', 1, 'new')")

query expect_error(HUDILITE_DUPLICATE_KEY)
CALL merge_preview("INSERT INTO t VALUES (4, 'x', 1, 'new')")

query expect_error(HUDILITE_NULL_KEY)
CALL merge_preview("INSERT INTO t VALUES (CAST(NULL AS INT), 'x', 1, 'new')")

-- Two source rows for one row.
query expect_error(HUDILITE_MERGE_CARDINALITY)
CALL merge_preview("MERGE INTO t USING (VALUES (4), (4) AS s (id)) s ON t.id = s.id AND t.p = 'x' WHEN MATCHED THEN UPDATE SET n = 0")

-- ON without the key, a source that reads the table, names of common table expressions.
query
CALL merge_preview("MERGE INTO t USING (VALUES ('x', 'up') AS s (p, v)) s ON t.p = s.p AND t.n > 40 WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED BY SOURCE AND t.p = 'z' THEN DELETE", 'statement')

query
CALL merge_preview("WITH big AS (SELECT * FROM t WHERE n >= 40) MERGE INTO t USING big AS s ON t.id = s.id WHEN MATCHED THEN DELETE;", 'rows')

query
CALL merge_preview("UPDATE t SET v = 'top' WHERE n = (SELECT max(n) FROM t)", 'rows')

-- New columns are shown, and the table does not get them.
query
CALL merge_preview("MERGE WITH SCHEMA EVOLUTION INTO t USING (VALUES (4, 'x', 1, 'a', 9) AS s (id, p, n, v, more)) s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET *", 'rows')

query
SELECT * FROM t WHERE id < 0

-- What the statement asks for is checked as in the statement.
statement
ALTER TABLE t ADD CONSTRAINT small CHECK (n < 1000)

query expect_error(CHECK_CONSTRAINT_VIOLATION)
CALL merge_preview("UPDATE t SET n = 1000 WHERE id = 2")

query expect_error(UNRESOLVED_COLUMN.WITH_SUGGESTION)
CALL merge_preview("UPDATE t SET n = m + 1")

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
CALL merge_preview("DELETE FROM absent")

query expect_error(PARSE_SYNTAX_ERROR)
CALL merge_preview("DELETE t WHERE WHERE")

-- Texts that are no such statement.
query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL merge_preview("SELECT * FROM t")

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL merge_preview("CALL clean(table => 't')")

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL merge_preview("DELETE FROM t WHERE id = 1; DELETE FROM t WHERE id = 2")

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL merge_preview("DELETE FROM t WHERE id = 1; DELETE FROM t WHERE id = 2; -- both")

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL merge_preview("TRUNCATE TABLE t")

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL merge_preview("EXPLAIN DELETE FROM t")

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL merge_preview(NULL)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL merge_preview("DELETE FROM t", 'counts')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL merge_preview("DELETE FROM t", 'rows', 0)

-- A table that is not ours.
statement
CREATE TABLE other (id INT) USING parquet

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
CALL merge_preview("DELETE FROM other")

query
SELECT operation, rows_written FROM t.history

-- Faults: F76
statement
CREATE TABLE t (a STRING, b INT, v STRING, PRIMARY KEY (a, b)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t VALUES ('x', 1, 'old'), ('', 2, 'old')

-- A null key matches nothing.
query
MERGE INTO t USING (SELECT * FROM VALUES ('x', 1, 'new'), (NULL, 1, 'null'), ('x', NULL, 'null'), (NULL, NULL, 'null') AS q(a, b, v)) s ON t.a = s.a AND t.b = s.b
WHEN MATCHED THEN UPDATE SET *

query
SELECT * FROM t

-- Two null keys are no cardinality error, and a condition keeps them out.
query
MERGE INTO t USING (SELECT * FROM VALUES (NULL, 1, 'null'), (NULL, 1, 'null'), ('y', 3, 'new') AS q(a, b, v)) s ON t.a = s.a AND t.b = s.b
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED AND s.a IS NOT NULL THEN INSERT *

-- Inserted it is refused.
statement expect_error(HUDILITE_NULL_KEY)
MERGE INTO t USING (SELECT * FROM VALUES ('x', 1, 'newer'), (NULL, 1, 'null') AS q(a, b, v)) s ON t.a = s.a AND t.b = s.b
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

-- An empty string is a value.
query
MERGE INTO t USING (SELECT * FROM VALUES ('', 2, 'found') AS q(a, b, v)) s ON t.a = s.a AND t.b = s.b
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

statement
CREATE TABLE t (a STRING, b INT, v STRING, PRIMARY KEY (a, b)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t VALUES ('x', 1, 'old'), ('', 2, 'old')

-- A null key matches nothing.
query
MERGE INTO t USING (VALUES ('x', 1, 'new'), (NULL, 1, 'null'), ('x', NULL, 'null'), (NULL, NULL, 'null')) AS s(a, b, v) ON t.a = s.a AND t.b = s.b
WHEN MATCHED THEN UPDATE SET *

query
SELECT * FROM t

-- Two null keys are no cardinality error, and a condition keeps them out.
query
MERGE INTO t USING (VALUES (NULL, 1, 'null'), (NULL, 1, 'null'), ('y', 3, 'new')) AS s(a, b, v) ON t.a = s.a AND t.b = s.b
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED AND s.a IS NOT NULL THEN INSERT *

-- Inserted it is refused.
statement expect_error(HUDILITE_NULL_KEY)
MERGE INTO t USING (VALUES ('x', 1, 'newer'), (NULL, 1, 'null')) AS s(a, b, v) ON t.a = s.a AND t.b = s.b
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

-- An empty string is a value.
query
MERGE INTO t USING (VALUES ('', 2, 'found')) AS s(a, b, v) ON t.a = s.a AND t.b = s.b
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

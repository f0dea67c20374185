-- Hand: Spark's own Parquet reader misses a zero of the other sign, so Delta does
-- 0.0 equals -0.0, and NaN is the greatest value and equals itself, whatever values a file has.
statement
CREATE TABLE t (id INT, p STRING, d DOUBLE, f FLOAT, s STRUCT<d: DOUBLE>, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1

statement
INSERT INTO t SELECT id, 'minus', -0.0D, FLOAT('-0.0'), named_struct('d', -0.0D) FROM range(1, 4)

statement
INSERT INTO t SELECT id, 'plus', 0.0D, FLOAT('0.0'), named_struct('d', 0.0D) FROM range(11, 14)

statement
INSERT INTO t SELECT id, 'nan', double('NaN'), float('NaN'), named_struct('d', double('NaN')) FROM range(21, 24)

statement
INSERT INTO t SELECT id, 'one', 1.0D, float(1), named_struct('d', 1.0D) FROM range(31, 34)

query
SELECT 'd = 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d = 0.0D
UNION ALL SELECT 'd = -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d = -0.0D
UNION ALL SELECT 'd <=> 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <=> 0.0D
UNION ALL SELECT 'd <=> -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <=> -0.0D
UNION ALL SELECT 'd IN (0.0D, 7.0D)' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d IN (0.0D, 7.0D)
UNION ALL SELECT 'd IN (-0.0D)' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d IN (-0.0D)
UNION ALL SELECT 'd IN (1.0D, 1.5D, -0.0D)' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d IN (1.0D, 1.5D, -0.0D)
UNION ALL SELECT 'd >= 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d >= 0.0D
UNION ALL SELECT 'd >= -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d >= -0.0D
UNION ALL SELECT 'd <= 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <= 0.0D
UNION ALL SELECT 'd <= -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <= -0.0D
UNION ALL SELECT 'd < 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d < 0.0D
UNION ALL SELECT 'd > -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d > -0.0D
UNION ALL SELECT 'd <> 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <> 0.0D
UNION ALL SELECT 'd <> -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <> -0.0D
UNION ALL SELECT 'd NOT IN (-0.0D, 1.0D)' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d NOT IN (-0.0D, 1.0D)
UNION ALL SELECT 'NOT d <=> 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE NOT d <=> 0.0D
UNION ALL SELECT 'd = double(\'NaN\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d = double('NaN')
UNION ALL SELECT 'd > 1' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d > 1
UNION ALL SELECT 'd >= double(\'NaN\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d >= double('NaN')
UNION ALL SELECT 'd < double(\'NaN\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d < double('NaN')
UNION ALL SELECT 'd <> double(\'NaN\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <> double('NaN')
UNION ALL SELECT 'd IN (double(\'NaN\'), -0.0D)' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d IN (double('NaN'), -0.0D)
UNION ALL SELECT 'd BETWEEN -0.0D AND 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d BETWEEN -0.0D AND 0.0D
UNION ALL SELECT 'd BETWEEN 0.0D AND -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d BETWEEN 0.0D AND -0.0D
UNION ALL SELECT 'f = float(\'0.0\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE f = float('0.0')
UNION ALL SELECT 'f = float(\'-0.0\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE f = float('-0.0')
UNION ALL SELECT 'f IN (float(\'-0.0\'), float(\'NaN\'))' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE f IN (float('-0.0'), float('NaN'))
UNION ALL SELECT 'f >= float(\'0.0\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE f >= float('0.0')
UNION ALL SELECT 'f > 1' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE f > 1
UNION ALL SELECT 's.d = 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE s.d = 0.0D
UNION ALL SELECT 's.d = -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE s.d = -0.0D
UNION ALL SELECT 's.d >= 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE s.d >= 0.0D
UNION ALL SELECT 'd = 0.0D OR d = 1.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d = 0.0D OR d = 1.0D
UNION ALL SELECT 'd = 0.0D AND f = float(\'-0.0\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d = 0.0D AND f = float('-0.0')

-- Row by row.
statement
SET spark.sql.parquet.enableVectorizedReader = false

query
SELECT 'd = 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d = 0.0D
UNION ALL SELECT 'd = -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d = -0.0D
UNION ALL SELECT 'd <=> 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <=> 0.0D
UNION ALL SELECT 'd <=> -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <=> -0.0D
UNION ALL SELECT 'd IN (0.0D, 7.0D)' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d IN (0.0D, 7.0D)
UNION ALL SELECT 'd IN (-0.0D)' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d IN (-0.0D)
UNION ALL SELECT 'd IN (1.0D, 1.5D, -0.0D)' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d IN (1.0D, 1.5D, -0.0D)
UNION ALL SELECT 'd >= 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d >= 0.0D
UNION ALL SELECT 'd >= -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d >= -0.0D
UNION ALL SELECT 'd <= 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <= 0.0D
UNION ALL SELECT 'd <= -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <= -0.0D
UNION ALL SELECT 'd < 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d < 0.0D
UNION ALL SELECT 'd > -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d > -0.0D
UNION ALL SELECT 'd <> 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <> 0.0D
UNION ALL SELECT 'd <> -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <> -0.0D
UNION ALL SELECT 'd NOT IN (-0.0D, 1.0D)' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d NOT IN (-0.0D, 1.0D)
UNION ALL SELECT 'NOT d <=> 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE NOT d <=> 0.0D
UNION ALL SELECT 'd = double(\'NaN\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d = double('NaN')
UNION ALL SELECT 'd > 1' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d > 1
UNION ALL SELECT 'd >= double(\'NaN\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d >= double('NaN')
UNION ALL SELECT 'd < double(\'NaN\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d < double('NaN')
UNION ALL SELECT 'd <> double(\'NaN\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <> double('NaN')
UNION ALL SELECT 'd IN (double(\'NaN\'), -0.0D)' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d IN (double('NaN'), -0.0D)
UNION ALL SELECT 'd BETWEEN -0.0D AND 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d BETWEEN -0.0D AND 0.0D
UNION ALL SELECT 'd BETWEEN 0.0D AND -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d BETWEEN 0.0D AND -0.0D
UNION ALL SELECT 'f = float(\'0.0\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE f = float('0.0')
UNION ALL SELECT 'f = float(\'-0.0\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE f = float('-0.0')
UNION ALL SELECT 'f IN (float(\'-0.0\'), float(\'NaN\'))' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE f IN (float('-0.0'), float('NaN'))
UNION ALL SELECT 'f >= float(\'0.0\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE f >= float('0.0')
UNION ALL SELECT 'f > 1' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE f > 1
UNION ALL SELECT 's.d = 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE s.d = 0.0D
UNION ALL SELECT 's.d = -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE s.d = -0.0D
UNION ALL SELECT 's.d >= 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE s.d >= 0.0D
UNION ALL SELECT 'd = 0.0D OR d = 1.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d = 0.0D OR d = 1.0D
UNION ALL SELECT 'd = 0.0D AND f = float(\'-0.0\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d = 0.0D AND f = float('-0.0')

-- Parquet's own check of each row.
statement
SET spark.sql.parquet.recordLevelFilter.enabled = true

query
SELECT 'd = 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d = 0.0D
UNION ALL SELECT 'd = -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d = -0.0D
UNION ALL SELECT 'd <=> 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <=> 0.0D
UNION ALL SELECT 'd <=> -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <=> -0.0D
UNION ALL SELECT 'd IN (0.0D, 7.0D)' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d IN (0.0D, 7.0D)
UNION ALL SELECT 'd IN (-0.0D)' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d IN (-0.0D)
UNION ALL SELECT 'd IN (1.0D, 1.5D, -0.0D)' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d IN (1.0D, 1.5D, -0.0D)
UNION ALL SELECT 'd >= 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d >= 0.0D
UNION ALL SELECT 'd >= -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d >= -0.0D
UNION ALL SELECT 'd <= 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <= 0.0D
UNION ALL SELECT 'd <= -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <= -0.0D
UNION ALL SELECT 'd < 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d < 0.0D
UNION ALL SELECT 'd > -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d > -0.0D
UNION ALL SELECT 'd <> 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <> 0.0D
UNION ALL SELECT 'd <> -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <> -0.0D
UNION ALL SELECT 'd NOT IN (-0.0D, 1.0D)' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d NOT IN (-0.0D, 1.0D)
UNION ALL SELECT 'NOT d <=> 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE NOT d <=> 0.0D
UNION ALL SELECT 'd = double(\'NaN\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d = double('NaN')
UNION ALL SELECT 'd > 1' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d > 1
UNION ALL SELECT 'd >= double(\'NaN\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d >= double('NaN')
UNION ALL SELECT 'd < double(\'NaN\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d < double('NaN')
UNION ALL SELECT 'd <> double(\'NaN\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d <> double('NaN')
UNION ALL SELECT 'd IN (double(\'NaN\'), -0.0D)' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d IN (double('NaN'), -0.0D)
UNION ALL SELECT 'd BETWEEN -0.0D AND 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d BETWEEN -0.0D AND 0.0D
UNION ALL SELECT 'd BETWEEN 0.0D AND -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d BETWEEN 0.0D AND -0.0D
UNION ALL SELECT 'f = float(\'0.0\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE f = float('0.0')
UNION ALL SELECT 'f = float(\'-0.0\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE f = float('-0.0')
UNION ALL SELECT 'f IN (float(\'-0.0\'), float(\'NaN\'))' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE f IN (float('-0.0'), float('NaN'))
UNION ALL SELECT 'f >= float(\'0.0\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE f >= float('0.0')
UNION ALL SELECT 'f > 1' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE f > 1
UNION ALL SELECT 's.d = 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE s.d = 0.0D
UNION ALL SELECT 's.d = -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE s.d = -0.0D
UNION ALL SELECT 's.d >= 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE s.d >= 0.0D
UNION ALL SELECT 'd = 0.0D OR d = 1.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d = 0.0D OR d = 1.0D
UNION ALL SELECT 'd = 0.0D AND f = float(\'-0.0\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM t WHERE d = 0.0D AND f = float('-0.0')

statement
RESET spark.sql.parquet.recordLevelFilter.enabled

statement
RESET spark.sql.parquet.enableVectorizedReader

statement
CREATE TABLE m (id INT, p STRING, d DOUBLE, f FLOAT, s STRUCT<d: DOUBLE>, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1 TBLPROPERTIES (type = 'mor')

statement
INSERT INTO m SELECT id, 'minus', -0.0D, FLOAT('-0.0'), named_struct('d', -0.0D) FROM range(1, 4)

statement
INSERT INTO m SELECT id, 'plus', 0.0D, FLOAT('0.0'), named_struct('d', 0.0D) FROM range(11, 14)

statement
INSERT INTO m SELECT id, 'nan', double('NaN'), float('NaN'), named_struct('d', double('NaN')) FROM range(21, 24)

statement
INSERT INTO m SELECT id, 'one', 1.0D, float(1), named_struct('d', 1.0D) FROM range(31, 34)

-- Log files, and what is left of the bases.
statement
UPDATE m SET d = -d, f = -f, s = named_struct('d', -s.d) WHERE id IN (1, 11)

query
SELECT 'd = 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d = 0.0D
UNION ALL SELECT 'd = -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d = -0.0D
UNION ALL SELECT 'd <=> 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d <=> 0.0D
UNION ALL SELECT 'd <=> -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d <=> -0.0D
UNION ALL SELECT 'd IN (0.0D, 7.0D)' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d IN (0.0D, 7.0D)
UNION ALL SELECT 'd IN (-0.0D)' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d IN (-0.0D)
UNION ALL SELECT 'd IN (1.0D, 1.5D, -0.0D)' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d IN (1.0D, 1.5D, -0.0D)
UNION ALL SELECT 'd >= 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d >= 0.0D
UNION ALL SELECT 'd >= -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d >= -0.0D
UNION ALL SELECT 'd <= 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d <= 0.0D
UNION ALL SELECT 'd <= -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d <= -0.0D
UNION ALL SELECT 'd < 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d < 0.0D
UNION ALL SELECT 'd > -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d > -0.0D
UNION ALL SELECT 'd <> 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d <> 0.0D
UNION ALL SELECT 'd <> -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d <> -0.0D
UNION ALL SELECT 'd NOT IN (-0.0D, 1.0D)' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d NOT IN (-0.0D, 1.0D)
UNION ALL SELECT 'NOT d <=> 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE NOT d <=> 0.0D
UNION ALL SELECT 'd = double(\'NaN\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d = double('NaN')
UNION ALL SELECT 'd > 1' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d > 1
UNION ALL SELECT 'd >= double(\'NaN\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d >= double('NaN')
UNION ALL SELECT 'd < double(\'NaN\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d < double('NaN')
UNION ALL SELECT 'd <> double(\'NaN\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d <> double('NaN')
UNION ALL SELECT 'd IN (double(\'NaN\'), -0.0D)' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d IN (double('NaN'), -0.0D)
UNION ALL SELECT 'd BETWEEN -0.0D AND 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d BETWEEN -0.0D AND 0.0D
UNION ALL SELECT 'd BETWEEN 0.0D AND -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d BETWEEN 0.0D AND -0.0D
UNION ALL SELECT 'f = float(\'0.0\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE f = float('0.0')
UNION ALL SELECT 'f = float(\'-0.0\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE f = float('-0.0')
UNION ALL SELECT 'f IN (float(\'-0.0\'), float(\'NaN\'))' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE f IN (float('-0.0'), float('NaN'))
UNION ALL SELECT 'f >= float(\'0.0\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE f >= float('0.0')
UNION ALL SELECT 'f > 1' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE f > 1
UNION ALL SELECT 's.d = 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE s.d = 0.0D
UNION ALL SELECT 's.d = -0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE s.d = -0.0D
UNION ALL SELECT 's.d >= 0.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE s.d >= 0.0D
UNION ALL SELECT 'd = 0.0D OR d = 1.0D' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d = 0.0D OR d = 1.0D
UNION ALL SELECT 'd = 0.0D AND f = float(\'-0.0\')' AS condition, sort_array(collect_set(p)) AS found, count(*) FROM m WHERE d = 0.0D AND f = float('-0.0')

-- Which rows a statement changes.
query
UPDATE t SET f = float(2) WHERE d = 0.0D

query
MERGE INTO t t USING (SELECT 99 id) s ON t.id = s.id
WHEN NOT MATCHED BY SOURCE AND t.d = -0.0D THEN UPDATE SET f = float(3)
WHEN NOT MATCHED BY SOURCE AND t.d > 1 THEN DELETE

query
MERGE INTO t t USING (SELECT 0.0D d) s ON t.d = s.d WHEN MATCHED THEN UPDATE SET f = float(4)

query
SELECT p, d, f, count(*), min(d), max(d) FROM t GROUP BY p, d, f

query
DELETE FROM t WHERE d = -0.0D

query
SELECT p, count(*) FROM t GROUP BY p

query
UPDATE m SET f = float(2) WHERE d = 0.0D

query
MERGE INTO m t USING (SELECT 99 id) s ON t.id = s.id
WHEN NOT MATCHED BY SOURCE AND t.d = -0.0D THEN UPDATE SET f = float(3)
WHEN NOT MATCHED BY SOURCE AND t.d > 1 THEN DELETE

query
MERGE INTO m t USING (SELECT 0.0D d) s ON t.d = s.d WHEN MATCHED THEN UPDATE SET f = float(4)

query
SELECT p, d, f, count(*), min(d), max(d) FROM m GROUP BY p, d, f

query
DELETE FROM m WHERE d = -0.0D

query
SELECT p, count(*) FROM m GROUP BY p

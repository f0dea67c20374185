-- Faults: F80
-- A key of each type but FLOAT and DOUBLE; its text does not depend on the session.
-- Config: spark.sql.session.timeZone=America/New_York
-- Config: spark.sql.ansi.enabled=false

statement
CREATE TABLE points (at TIMESTAMP, v INT, PRIMARY KEY (at)) USING hudilite WITH BUCKETS 4

statement
INSERT INTO points VALUES (TIMESTAMP'2024-11-03 01:30:00.123456 America/New_York', 1), (TIMESTAMP'1960-01-01 00:00:00 UTC', 2)

query
SELECT _hoodie_record_key, v FROM points

statement
SET spark.sql.session.timeZone = Asia/Kolkata

statement
SET spark.sql.ansi.enabled = true

query
MERGE INTO points t USING (SELECT TIMESTAMP'1960-01-01 05:30:00' at, 20 v) s ON t.at = s.at WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT _hoodie_record_key, v FROM points WHERE at = TIMESTAMP'1960-01-01 05:30:00'

statement
CREATE TABLE wall_clocks (at TIMESTAMP_NTZ, v INT, PRIMARY KEY (at)) USING hudilite WITH BUCKETS 4

statement
INSERT INTO wall_clocks VALUES (TIMESTAMP_NTZ'2024-11-03 01:30:00.123456', 1), (TIMESTAMP_NTZ'0001-01-01 00:00:00', 2)

query
SELECT _hoodie_record_key, at, v FROM wall_clocks

statement
CREATE TABLE bytes (k BINARY, v INT, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 4

statement
INSERT INTO bytes VALUES (X'00FF41', 1), (X'41', 2)

query
MERGE INTO bytes t USING (SELECT X'00FF41' k, 10 v UNION ALL SELECT X'42', 3) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT _hoodie_record_key, hex(k), v FROM bytes

statement expect_error(HUDILITE_NULL_KEY)
INSERT INTO bytes VALUES (X'', 1)

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO bytes VALUES (X'41', 1)

statement
CREATE TABLE flags (k BOOLEAN, v INT, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 4

statement
INSERT INTO flags VALUES (true, 1), (false, 2)

query
SELECT _hoodie_record_key, v FROM flags WHERE k

statement
CREATE TABLE numbers (a TINYINT, b SMALLINT, c INT, d BIGINT, e DECIMAL(38, 0), f DECIMAL(20, 12), g DATE, PRIMARY KEY (a, b, c, d, e, f, g)) USING hudilite WITH BUCKETS 4

statement
INSERT INTO numbers VALUES (-128, -32768, -2147483648, -9223372036854775808, -99999999999999999999999999999999999999, 0, DATE'0001-01-01'), (127, 32767, 2147483647, 9223372036854775807, 99999999999999999999999999999999999999, 0.000000000001, DATE'9999-12-31')

query
SELECT _hoodie_record_key FROM numbers

query
MERGE INTO numbers t USING (SELECT * FROM numbers) s ON t.a = s.a AND t.b = s.b AND t.c = s.c AND t.d = s.d AND t.e = s.e AND t.f = s.f AND t.g = s.g WHEN MATCHED THEN UPDATE SET t.c = s.c WHEN NOT MATCHED THEN INSERT *

-- Types without an exact text.
statement expect_error(HUDILITE_KEY_COLUMN_INVALID)
CREATE TABLE t (k FLOAT, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 4

statement expect_error(HUDILITE_KEY_COLUMN_INVALID)
CREATE TABLE t (k STRUCT<a: INT>, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 4

statement expect_error(HUDILITE_KEY_COLUMN_INVALID)
CREATE TABLE t (k VARCHAR(10), PRIMARY KEY (k)) USING hudilite WITH BUCKETS 4

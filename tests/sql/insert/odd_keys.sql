-- Faults: F78, F79
-- Keys that look like the text Hudi builds from keys.
statement
CREATE TABLE one (k STRING, v INT, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 4

statement
INSERT INTO one VALUES ('a:b,c=d', 1), ('a:b', 2), ('a,b', 3), ('k:3,x', 4), ('k:3', 5), (' ', 6), ('你好', 7), ('é', 8), ('e\u0301', 9), ('a/b', 10), ('%41', 11), ('__null__', 12), ('_', 13), ('𝒳', 14), (repeat('long', 2560), 15)

query
SELECT k, v, length(_hoodie_record_key) n, substring(_hoodie_file_name, 1, 8) bucket FROM one ORDER BY v

query
SELECT v FROM one WHERE k = 'a:b,c=d'

query
SELECT v FROM one WHERE k IN ('你好', '𝒳', 'k:3', 'absent')

query
SELECT v FROM one WHERE k = repeat('long', 2560)

query
MERGE INTO one t USING (SELECT k, v + 100 v FROM one) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT v FROM one

-- Colons and commas inside the parts of a composite key.
statement
CREATE TABLE two (a STRING, b STRING, v INT, PRIMARY KEY (a, b)) USING hudilite WITH BUCKETS 4

statement
INSERT INTO two VALUES ('1', '2', 1), ('x:y', 'z', 3), ('x', 'y:z', 4), (',', ':', 5)

query
SELECT * FROM two

-- A value whose joined text another key could have is refused, wherever it would be written.
statement expect_error(HUDILITE_KEY_VALUE_INVALID)
INSERT INTO two VALUES ('1,b:2', '3', 2)

statement expect_error(HUDILITE_KEY_VALUE_INVALID)
INSERT INTO two VALUES ('fine', 'fine', 1), ('__null__', '3', 2)

statement expect_error(HUDILITE_KEY_VALUE_INVALID)
INSERT INTO two VALUES ('__empty__', '3', 2)

-- Such a source row matches nothing: it must not meet the row whose text it shares.
statement
INSERT INTO two VALUES ('1', '2,b:3', 6)

query
MERGE INTO two t USING (SELECT '1,b:2' a, '3' b, 60 v) s ON t.a = s.a AND t.b = s.b WHEN MATCHED THEN UPDATE SET v = s.v

query
SELECT v FROM two WHERE a = '1' AND b = '2,b:3'

query
MERGE INTO two t USING (SELECT 'x:y' a, 'z' b, 30 v) s ON t.a = s.a AND t.b = s.b WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM two

-- Hand: procedures are hudilite's own
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1

query expect_error(HUDILITE_VERSION_NOT_FOUND)
CALL restore(table => 't', instant => '20240101000000000')

statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'a', 'y')

statement
UPDATE t SET v = 'b'

statement
INSERT OVERWRITE t PARTITION (p = 'y') VALUES (3, 'c')

statement
ALTER TABLE t ADD COLUMN more INT

statement
INSERT INTO t (id, v, p, more) VALUES (4, 'd', 'z', 5)

query
CALL restore(table => 't', instant => '{instant 3 of t}', dry_run => true)

query
SELECT * FROM t ORDER BY id

query
CALL restore(table => 't', instant => '{instant 3 of t}')

query
SELECT id, v, p FROM t ORDER BY id

-- The group that the overwrite hid is seen again.
query
CALL restore(table => 't', instant => '{instant 2 of t}')

query
CALL restore(table => 't', instant => '{instant 2 of t}')

query
SELECT id, v, p FROM t ORDER BY id

query
CALL verify(table => 't', level => 'rows')

statement
MERGE INTO t USING (SELECT 1 id, 'e' v, 'x' p UNION ALL SELECT 5, 'e', 'y') s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v, p) VALUES (s.id, s.v, s.p)

query
SELECT id, v, p FROM t ORDER BY id

query
SELECT id, v, _change_type FROM hudilite_changes('t', '{instant 2 of t}') ORDER BY id, _change_type

statement
CALL savepoint(table => 't')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL restore(table => 't', instant => '{instant 1 of t}')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL restore(table => 't', instant => NULL)

query expect_error(HUDILITE_VERSION_NOT_FOUND)
CALL restore(table => 't', instant => 'yesterday')

query
SELECT action, state, operation FROM t.history

query
DESCRIBE PROCEDURE restore

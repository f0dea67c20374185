-- Hand: procedures are hudilite's own
-- What is shown of bootstrapped tables: e2e/test_bootstrap_mapping.py.
statement
CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)

query
CALL show_bootstrap_mapping(table => 't')

statement
INSERT INTO t VALUES (1, 'a', 'x')

query
CALL show_bootstrap_mapping('t', 'p=a', 5)

query
CALL show_bootstrap_mapping('t', CAST(NULL AS STRING))

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL show_bootstrap_mapping('t', 'p=nowhere')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL show_bootstrap_mapping(table => 't', limit => 0)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL show_bootstrap_mapping(CAST(NULL AS STRING))

statement
CREATE TABLE b (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

query
CALL show_bootstrap_mapping('b')

query
DESCRIBE PROCEDURE show_bootstrap_mapping

-- Hand: procedures are hudilite's own
query
SELECT 1 AS a_session_without_tables

query
CALL help(procedure => 'clean')

query
CALL help('ROLLBACK')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL help(procedure => 'cleen')

query
CALL help()

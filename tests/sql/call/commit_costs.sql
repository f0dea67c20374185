-- Hand: procedures are hudilite's own
-- What hudilite why shows of a commit is in its extra metadata.
statement
CREATE TABLE t (id INT, v STRING, n INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3)

query
MERGE INTO t USING (SELECT 2 id, 'z' v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v

query
CALL show_commit_extra_metadata(table => 't', metadata_key => 'hudilite.metrics.numRowGroupsByColumns')

query
CALL show_commit_extra_metadata(table => 't', metadata_key => 'hudilite.metrics.numRowGroupsPartlyCopied')

query
CALL show_commit_extra_metadata(table => 't', metadata_key => 'hudilite.metrics.numRowsUpdated')

-- Faults: F58
-- Hand: an error only
-- A storage that cannot create a file only if it is absent is not written.
statement
SET `fs.viewfs.mounttable.here.link./data`=`file://{folder}`

query expect_error(HUDILITE_UNSAFE_STORAGE)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 LOCATION 'viewfs://here/data/t'

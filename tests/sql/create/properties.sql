-- What is not built is refused by name, never ignored.
statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (type = 'ro')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES ('hoodie.index.class' = 'x.Y')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES ('hoodie.index.type' = 'SIMPLE')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES ('hudilite.bucket.count' = '3')

statement
CREATE TABLE cow (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (type = 'cow')

query
SELECT * FROM cow

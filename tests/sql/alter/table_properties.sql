-- Hand: properties and errors only
statement
CREATE TABLE t (id INT, ts INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'ts', owner_team = 'north')

statement
ALTER TABLE t SET TBLPROPERTIES ('owner_team' = 'south', 'level' = '3')

query
SHOW TBLPROPERTIES t

query
SHOW TBLPROPERTIES t ('owner_team')

statement
ALTER TABLE t UNSET TBLPROPERTIES ('level')

statement
ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('never_there')

-- Repeating a fact changes nothing; another value is refused with both.
statement
ALTER TABLE t SET TBLPROPERTIES ('hoodie.bucket.index.num.buckets' = '2', 'primaryKey' = 'ID')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
ALTER TABLE t SET TBLPROPERTIES ('hoodie.bucket.index.num.buckets' = '8')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
ALTER TABLE t SET TBLPROPERTIES ('hoodie.bucket.index.hash.field' = 'ts')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
ALTER TABLE t SET TBLPROPERTIES ('primaryKey' = 'ts')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
ALTER TABLE t SET TBLPROPERTIES ('hoodie.index.type' = 'BLOOM')

-- A procedure changes the type.
statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t SET TBLPROPERTIES ('type' = 'mor')

statement
ALTER TABLE t SET TBLPROPERTIES ('type' = 'COPY_ON_WRITE')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
ALTER TABLE t SET TBLPROPERTIES ('preCombineField' = 'id')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
ALTER TABLE t UNSET TBLPROPERTIES ('preCombineField')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
ALTER TABLE t SET TBLPROPERTIES ('hoodie.bucket.index.num.bucket' = '2')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
ALTER TABLE t SET TBLPROPERTIES ('hudilite.bucket.count' = '2')

query
SHOW TBLPROPERTIES t

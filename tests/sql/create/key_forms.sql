-- Hand: Delta has no keys
-- PRIMARY KEY and TBLPROPERTIES (primaryKey = ..) declare the same key.
statement
CREATE TABLE by_constraint (a STRING NOT NULL, b DATE, v INT, PRIMARY KEY (a, b)) USING hudilite WITH BUCKETS 4

statement
CREATE TABLE by_named_constraint (a STRING, b DATE, v INT, CONSTRAINT pk PRIMARY KEY (a, b)) USING hudilite WITH BUCKETS 4

statement
CREATE TABLE by_property (a STRING, b DATE, v INT) USING hudilite WITH BUCKETS 4 TBLPROPERTIES (primaryKey = 'a,b')

statement
CREATE TABLE by_column (a STRING PRIMARY KEY, v INT) USING hudilite WITH BUCKETS 4

statement
INSERT INTO by_constraint VALUES ('x', DATE'2024-01-02', 1)

statement
INSERT INTO by_named_constraint VALUES ('x', DATE'2024-01-02', 1)

statement
INSERT INTO by_property VALUES ('x', DATE'2024-01-02', 1)

statement
INSERT INTO by_column VALUES ('x', 1)

query
SELECT *, _hoodie_record_key FROM by_constraint

query
SELECT *, _hoodie_record_key FROM by_named_constraint

query
SELECT *, _hoodie_record_key FROM by_property

query
SELECT *, _hoodie_record_key FROM by_column

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO by_property VALUES ('x', DATE'2024-01-02', 2)

statement expect_error(HUDILITE_NULL_KEY)
INSERT INTO by_property VALUES (NULL, DATE'2024-01-02', 2)

-- Both forms at once: equal is fine, different is refused.
statement
CREATE TABLE both_equal (a STRING, v INT, PRIMARY KEY (a)) USING hudilite WITH BUCKETS 4 TBLPROPERTIES (primaryKey = 'a')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE both_unlike (a STRING, b STRING, PRIMARY KEY (a)) USING hudilite WITH BUCKETS 4 TBLPROPERTIES (primaryKey = 'b')

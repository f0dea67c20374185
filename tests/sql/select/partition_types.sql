statement
CREATE TABLE by_date (id INT, d DATE, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (d) WITH BUCKETS 2

statement
INSERT INTO by_date VALUES (1, DATE'2024-01-02'), (2, DATE'1969-12-31'), (3, NULL), (4, DATE'1500-03-01')

query
SELECT *, _hoodie_partition_path FROM by_date

query
SELECT id FROM by_date WHERE d = DATE'2024-01-02'

query
SELECT id FROM by_date WHERE d < DATE'1970-01-01'

query
SELECT id FROM by_date WHERE year(d) = 2024

statement
CREATE TABLE by_number (id INT, i INT, l BIGINT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (i, l) WITH BUCKETS 2

statement
INSERT INTO by_number VALUES (1, -1, 9223372036854775807), (2, 0, -9223372036854775808), (3, NULL, 10), (4, 10, 9)

query
SELECT *, _hoodie_partition_path FROM by_number

query
SELECT id FROM by_number WHERE i > 2

query
SELECT id FROM by_number WHERE l = 9223372036854775807

query
SELECT id FROM by_number WHERE l > 9

statement
CREATE TABLE by_flag (id INT, b BOOLEAN, e DECIMAL(6,2), PRIMARY KEY (id)) USING hudilite PARTITIONED BY (b, e) WITH BUCKETS 2

statement
INSERT INTO by_flag VALUES (1, true, 1.50), (2, false, -0.05), (3, NULL, 0)

query
SELECT *, _hoodie_partition_path FROM by_flag

query
SELECT id FROM by_flag WHERE NOT b AND e < 0

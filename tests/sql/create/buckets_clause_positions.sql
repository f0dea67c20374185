-- Hand: a clause that Delta does not know
statement
CREATE TABLE before_partitions (id BIGINT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4 PARTITIONED BY (p)

statement
CREATE TABLE after_partitions (id BIGINT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 4

statement
CREATE TABLE before_properties (id BIGINT, v STRING) USING hudilite WITH BUCKETS 4 TBLPROPERTIES (primaryKey = 'id')

statement
CREATE TABLE after_properties (id BIGINT, v STRING) USING hudilite TBLPROPERTIES (primaryKey = 'id') WITH BUCKETS 4

statement
CREATE TABLE before_comment (id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4 COMMENT 'four buckets'

statement
CREATE TABLE after_comment (id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite COMMENT 'four buckets' WITH BUCKETS 4

statement
CREATE TABLE before_location (id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4 LOCATION '{folder}/before location'

statement
CREATE TABLE after_location (id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite LOCATION '{folder}/after location' WITH BUCKETS 4

statement
create table lower_case (id bigint, v string, primary key (id)) using hudilite with buckets 4

statement
CREATE TABLE in_lines (
  id BIGINT, -- WITH BUCKETS 9
  v STRING DEFAULT 'WITH BUCKETS 8' /* WITH BUCKETS 7 */,
  PRIMARY KEY (id)
) USING hudilite
WITH /* the count */ BUCKETS
4 ON (id)

statement
INSERT INTO before_partitions SELECT id, 'v', CAST(id % 2 AS STRING) FROM range(20)

statement
INSERT INTO after_partitions SELECT id, 'v', CAST(id % 2 AS STRING) FROM range(20)

statement
INSERT INTO before_properties SELECT id, 'v' FROM range(20)

statement
INSERT INTO after_properties SELECT id, 'v' FROM range(20)

statement
INSERT INTO before_comment SELECT id, 'v' FROM range(20)

statement
INSERT INTO after_comment SELECT id, 'v' FROM range(20)

statement
INSERT INTO before_location SELECT id, 'v' FROM range(20)

statement
INSERT INTO after_location SELECT id, 'v' FROM range(20)

statement
INSERT INTO lower_case SELECT id, 'v' FROM range(20)

statement
INSERT INTO in_lines SELECT id, 'v' FROM range(20)

-- Each table has four file groups in a partition: buckets 0 to 3.
query
SELECT p, substring(_hoodie_file_name, 1, 8) bucket, count(*) n FROM before_partitions GROUP BY 1, 2

query
SELECT p, substring(_hoodie_file_name, 1, 8) bucket, count(*) n FROM after_partitions GROUP BY 1, 2

query
SELECT substring(_hoodie_file_name, 1, 8) bucket, count(*) n FROM before_properties GROUP BY 1

query
SELECT substring(_hoodie_file_name, 1, 8) bucket, count(*) n FROM after_properties GROUP BY 1

query
SELECT substring(_hoodie_file_name, 1, 8) bucket, count(*) n FROM before_comment GROUP BY 1

query
SELECT substring(_hoodie_file_name, 1, 8) bucket, count(*) n FROM after_comment GROUP BY 1

query
SELECT substring(_hoodie_file_name, 1, 8) bucket, count(*) n FROM before_location GROUP BY 1

query
SELECT substring(_hoodie_file_name, 1, 8) bucket, count(*) n FROM after_location GROUP BY 1

query
SELECT substring(_hoodie_file_name, 1, 8) bucket, count(*) n FROM lower_case GROUP BY 1

query
SELECT substring(_hoodie_file_name, 1, 8) bucket, count(*) n FROM in_lines GROUP BY 1

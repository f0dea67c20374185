-- Names and comments that a metastore must give back as they were written.
statement
CREATE TABLE Odd (Id INT COMMENT 'it''s the "key"', two_words STRING COMMENT 'a,b;c=d', Other STRING, Part STRING, PRIMARY KEY (Id))
USING hudilite PARTITIONED BY (Part) WITH BUCKETS 2 COMMENT 'quote '' comma , and ünïcode'

statement
INSERT INTO odd VALUES (1, 'a', 'é', 'x'), (2, 'b', NULL, 'y')

query
MERGE INTO ODD t USING (SELECT 2 AS id, 'b1' AS w, 'y' AS p) s ON t.ID = s.id AND t.part = s.p
WHEN MATCHED THEN UPDATE SET Two_Words = s.w

query
SELECT * FROM odd

query
SELECT ID, TWO_WORDS, part FROM Odd WHERE PART = 'y'

query
DESCRIBE TABLE odd

"""Reader of SQL scripts, which runs nothing: statements with their places, tables, columns."""

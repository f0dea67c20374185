"""What a script of SQL says, without running it: statements with their places, tables, columns."""

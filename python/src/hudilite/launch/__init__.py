"""Start of Spark with hudilite: sessions, Spark's own programs, and what must be there for both."""

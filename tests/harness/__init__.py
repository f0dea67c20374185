"""What the suites share: sessions, table layout on disk, row comparison, child processes."""

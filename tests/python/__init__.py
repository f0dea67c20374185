"""Tests of the Python package: session, errors, tables without a JVM, command line, demo."""

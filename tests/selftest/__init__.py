"""Tests of the harness and of the tools that the suites share."""

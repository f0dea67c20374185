"""Tables that several suites write and read; tests/README.md describes them."""

"""Demo, ``python -m hudilite.demo``: a year of flights in a keyed table, checked by hudi-rs."""

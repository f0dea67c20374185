"""``python -m hudilite.demo``: a year of flights through every statement, checked by hudi-rs."""

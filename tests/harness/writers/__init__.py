"""Processes that write to the same tables at once, and what their histories show."""

"""Hudi's files, read without a JVM: the timeline, base files, the bootstrap index."""

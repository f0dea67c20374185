"""Apache Hudi's rules over again, slowly and apart from the code under test."""

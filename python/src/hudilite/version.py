"""Version of this package. The builds of the wheel and of the jars read it here."""

__version__ = "0.1.0"

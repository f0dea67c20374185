"""Random statements against an oracle that shares no code with the engine."""

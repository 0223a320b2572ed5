"""Flows: one verb per file. Each reads the clock once, asks gates and rules, and commits with its audit event."""

"""Tamper-evident logs: canonical bodies, hash-linked lines, Merkle trees, signed checkpoints, and their verifier."""

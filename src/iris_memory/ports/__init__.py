"""Protocols that the flows need and the engines give. Engines keep bytes; they never see a readable word."""

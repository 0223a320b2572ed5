"""Masking of owner PII: one corpus, one matcher, one table, one decision. Pure."""

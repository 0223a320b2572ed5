"""Who asks: credentials checked once, in one place, for every surface (tokens, issuers, sessions, step-up)."""

"""Rules: which of two wins, and what follows. Pure; what they do not decide, gates, flows and engines do."""

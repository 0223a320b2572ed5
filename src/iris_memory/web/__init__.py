"""The pages: server-rendered, complete without script, for the person remembered and for operators."""

"""Guards: the owner's identity kept in, at every point where a host's run lets text out."""

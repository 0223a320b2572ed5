"""Matchers: one file per kind. Each turns a literal into patterns, and decides about an occurrence of one."""

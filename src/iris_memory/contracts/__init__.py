"""Shapes. Pydantic models, frozen and strict; they hold no policy."""

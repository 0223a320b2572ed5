"""Hooks: guards inside a framework's run. None of them imports its framework: they know shapes, not classes."""

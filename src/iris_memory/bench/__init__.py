"""Benchmarks: each number beside a floor measured in the same run."""

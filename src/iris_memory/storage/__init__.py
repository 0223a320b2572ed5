"""Engines: they keep sealed bytes behind the ports, each with its own native SQL, and decide nothing."""

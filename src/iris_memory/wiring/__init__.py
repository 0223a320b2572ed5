"""The composition root: settings, the real clock and ids, the engines, and the keeper that tends them."""

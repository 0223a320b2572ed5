"""Policy rows. A policy fact is written once, as one row of one table; import fails when a table is not total."""

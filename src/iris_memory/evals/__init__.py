"""Release-gating suites: real stores and plain pipelines against outcomes that are stated here a second time."""

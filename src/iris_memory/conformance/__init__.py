"""The contract of engines, as checks. Every engine runs all of them; what an engine does not support is a failure."""

from iris_memory.conformance.reporting import CheckResult, ConformanceError
from iris_memory.conformance.suites import run_key_suite, run_store_suite, run_vault_suite

__all__ = ["CheckResult", "ConformanceError", "run_key_suite", "run_store_suite", "run_vault_suite"]

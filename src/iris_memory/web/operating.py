"""The routers of the operators' pages and of the admin assistant, in one place."""

from __future__ import annotations

from typing import Final

from iris_memory.web.routes import (
    assistant,
    operators_approvals,
    operators_asking,
    operators_audit,
    operators_holds,
    operators_inspection,
    operators_looking,
    operators_masking,
    operators_policy,
    operators_rights,
    operators_rules,
)

OPERATOR_ROUTERS: Final = (
    operators_rights.router,
    operators_holds.router,
    operators_approvals.router,
    operators_audit.router,
    operators_masking.router,
    # an inspection's acts are named by any word, so the pages with words of their own come first
    operators_asking.router,
    operators_looking.router,
    operators_inspection.router,
    operators_rules.router,
    operators_policy.router,
    assistant.router,
)

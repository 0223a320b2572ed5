"""The world of the guard tests: an owner's folder, a guard over it, and a log that is kept in a file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from iris_memory.contracts.guarding import Firing
from iris_memory.contracts.masking import Mode, PiiKind
from iris_memory.evals.owner import USER_MD
from iris_memory.guards.kernel import OwnerGuard
from iris_memory.guards.log_file import FileShadowLog
from iris_memory.guards.opening import open_guard

NAME = "Ottoline Varga-Quill"
FIRST = "Ottoline"
EMAIL = "o_varga@quillworks.example"
PHONE = "+44 20 7946 0958"
ADDRESS = "221B Thornfield Street, London NW1 6XE"
HANDLE = "@ottoquill"
LINK = "https://ottoline9.example.com/garden-notes"
SECRET = "plum-Teapot-4471-green"

WRITTEN = {
    PiiKind.NAME: NAME,
    PiiKind.EMAIL: EMAIL,
    PiiKind.PHONE: PHONE,
    PiiKind.ADDRESS: ADDRESS,
    PiiKind.HANDLE: HANDLE,
    PiiKind.LINK: LINK,
    PiiKind.SECRET: SECRET,
}
"""One literal of each kind, as the owner writes it."""

EVERY_KIND = ", ".join(sorted(PiiKind))
BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)


class KeyedLog(FileShadowLog):
    """A shadow log with an audit key that a governed call has resolved."""

    def key(self) -> bytes:
        """Return the key."""
        return b"the audit key of a test"


@dataclass
class Owner:
    """An owner's folder."""

    folder: Path

    def write(self, *, user: str = USER_MD, config: str | None = None) -> Owner:
        """Write the owner's document and the guard table."""
        self.folder.mkdir(exist_ok=True)
        (self.folder / "USER.md").write_text(user, encoding="utf-8")
        if config is not None:
            (self.folder / "identity.yaml").write_text(config, encoding="utf-8")
        return self

    def guard(self, mode: Mode | str = Mode.ENFORCE, *, keyed: bool = False, **more: Any) -> OwnerGuard:
        """Open a guard that writes to the file of this owner."""
        log = KeyedLog(self.file) if keyed else FileShadowLog(self.file)
        return open_guard(folder=self.folder, mode=mode, **{"log": log, **more})

    @property
    def file(self) -> Path:
        """The file of the shadow log."""
        return self.folder / "guard.jsonl"

    def firings(self) -> list[Firing]:
        """Return what was written."""
        return list(FileShadowLog(self.file).read(since=datetime.min.replace(tzinfo=UTC)))


def owner_of(tmp_path: Path, *, enforce: Iterable[PiiKind] | str = EVERY_KIND, config: str = "") -> Owner:
    """Return an owner whose table enforces these kinds."""
    kinds = enforce if isinstance(enforce, str) else ", ".join(kind.value for kind in enforce)
    return Owner(tmp_path / "owner").write(config=f"enforce: [{kinds}]\n{config}")


def sentence(text: str) -> str:
    """Put a literal into a sentence."""
    return f"Please tell them about {text} soon."

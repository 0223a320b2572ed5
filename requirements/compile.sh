#!/usr/bin/env bash
# Renew the hashed requirement files. They carry versions and hashes, never an address, so that any index serves them.
# Needs `uv` on PATH (or UV=/path/to/uv); plain pip consumes the result.
set -eu
cd "$(dirname "$0")/.."
uv=${UV:-uv}
common="--universal --python-version 3.11 --generate-hashes --no-header --no-annotate --quiet"
# shellcheck disable=SC2086
"$uv" pip compile $common pyproject.toml requirements/run.in --extra server --extra masking --extra postgres --extra mcp --extra client --extra proxy -o requirements/run.txt
# shellcheck disable=SC2086
"$uv" pip compile $common pyproject.toml requirements/run.in requirements/dev.in --extra server --extra masking --extra postgres --extra mcp --extra client --extra proxy \
  -c requirements/run.txt -o requirements/dev.txt

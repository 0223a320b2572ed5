#!/usr/bin/env bash
# Install the system packages that tests use and this machine lacks: a browser with a font, and a connection pooler.
# Where that cannot be done (no apt, or no leave to use it) nothing fails: the tests that need one say so and skip.
set -u
missing=()
command -v chromium >/dev/null || missing+=(chromium)
fc-list 2>/dev/null | grep -qi dejavu || missing+=(fonts-dejavu-core)
command -v pgbouncer >/dev/null || [ -x /usr/sbin/pgbouncer ] || missing+=(pgbouncer)
[ "${#missing[@]}" -eq 0 ] && exit 0
if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
  echo "not installed, and no leave to install: ${missing[*]} (tests that need one are skipped)"
  exit 0
fi
echo "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq >/dev/null 2>&1
# at run level 1 an installed server is not started
RUNLEVEL=1 apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null 2>&1 \
  || echo "could not install ${missing[*]}; tests that need one are skipped"
exit 0

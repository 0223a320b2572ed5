"""pages: the person's pages of a real service over a large memory, one visitor, beside a bare echo of the same size."""

from __future__ import annotations

import re
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import urlencode

from iris_memory.bench.http import KEY, echo, service
from iris_memory.bench.http_load import Load, asked, measure, request
from iris_memory.bench.measure import Result, percentile
from iris_memory.bench.worlds import person
from iris_memory.errors import SettingError
from iris_memory.front.iris import Iris
from iris_memory.storage.keys import FixedKey

SIZE: Final = 10_000
FIRST_BYTE: Final = 50.0
"""How long a page may take to begin, in milliseconds; what is measured is until its last byte."""

WEIGHT: Final = 60 * 1024
"""What a page may weigh, in bytes, without style and script."""

ADDRESSES: Final = {
    "the list": "/memory",
    "the list, narrowed": "/memory?category=preference&sort=used",
    "one memory": "/memory/{name}",
    "before it is forgotten": "/memory/{name}/forget",
    "before everything is": "/forget/everything",
    "consent": "/consent",
    "all that is held": "/held",
}


def bench(*, quick: bool = False) -> list[Result]:
    """Measure each page."""
    size, seconds = (1_000, 0.5) if quick else (SIZE, 3.0)
    with TemporaryDirectory(prefix="iris-bench-") as folder:
        store = Path(folder) / "store"
        with Iris.open(store, key=FixedKey(KEY), database="") as iris:
            name = person(iris, "ada", size).list(limit=1).entries[0].logical_id
        with service(store) as (port, _):
            cookie = _signed_in(port)
            loads = {
                page: measure(
                    port, [asked(address.format(name=name), cookie=cookie)], connections=1, seconds=seconds, warm=0.3
                )
                for page, address in ADDRESSES.items()
            }
        with echo(max(load.size for load in loads.values())) as port:
            floor = measure(port, [request("/echo", {"text": "page"})], connections=1, seconds=seconds)
    if not floor.taken or any(load.failed or not load.taken for load in loads.values()):
        raise SettingError("the service did not answer every request")
    least = percentile(floor.taken, 0.99)
    results = [_time(page, size, load, least) for page, load in loads.items()]
    heaviest = max(load.size for load in loads.values())
    return [*results, Result("the heaviest page", size, heaviest, "bytes", floor.size, WEIGHT)]


def _time(page: str, size: int, load: Load, least: float) -> Result:
    return Result(f"{page}, p99", size, percentile(load.taken, 0.99), "ms", least, FIRST_BYTE)


def _signed_in(port: int) -> str:
    """Sign in as the person whose memory it is, as in development, and return the cookie."""
    line = HTTPConnection("127.0.0.1", port, timeout=30)
    line.request("GET", "/sign-in")
    name = re.search(r'name="person" value="([^"]*ada)"', line.getresponse().read().decode())
    if name is None:
        raise SettingError("the service offers nobody to sign in as")
    headers = {"Origin": f"http://127.0.0.1:{port}", "Content-Type": "application/x-www-form-urlencoded"}
    line.request("POST", "/sign-in", urlencode({"person": name.group(1), "back": "/memory"}), headers)
    answer = line.getresponse()
    cookie = (answer.getheader("Set-Cookie") or "").partition(";")[0]
    answer.read()
    line.close()
    if not cookie:
        raise SettingError("nobody could sign in")
    return cookie

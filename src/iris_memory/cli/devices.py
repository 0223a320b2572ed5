"""Devices: where the person stopped, and the devices they go on with."""

from __future__ import annotations

from typing import Annotated

import typer

from iris_memory.cli.answers import Told, Words, bad, dim, good, head
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.instants import present
from iris_memory.cli.wording import ago, count
from iris_memory.contracts.write import Refused

DeviceId = Annotated[str, typer.Argument(metavar="DEVICE", help="the id of the device")]


def list_devices(place: Place) -> Told:
    """Show the person's devices.

    Each with the name the person gave it, when it was last seen, and what it has not been told yet.
    """
    with place.person() as me:
        devices = me.devices.list()
        waiting = {device.device_id: me.devices.notices(device.device_id) for device in devices}
    now = present()
    lines: list[Words] = []
    for device in devices:
        lines.append(head(device.name or device.device_id))
        lines.append(dim(f"  {device.device_id} · last seen {ago(device.last_seen, now)}"))
        lines += [f"  {notice.told}: {notice.surface.value} {notice.ref}" for notice in waiting[device.device_id]]
    lines.append(dim(count(len(devices), "device")))
    return Told({"devices": devices, "notices": [notice for each in waiting.values() for notice in each]}, lines)


def name_device(
    place: Place, device: DeviceId, name: Annotated[str, typer.Argument(metavar="NAME", help="what to call it")]
) -> Told:
    """Give a device a name.

    The name is sealed under a key of its own.
    """
    with place.person() as me:
        named = me.devices.name(device, name)
    if isinstance(named, Refused):
        return Told(named, [bad(f"Refused ({named.reason.value}): {named.rule}.")], ExitCode.REFUSED)
    return Told(named, [good(f"{device} is called {named.name}.")])


def remove_device(place: Place, device: DeviceId) -> Told:
    """Forget a device.

    Its name, its notices, and the places that no other device has gone on from.
    """
    with place.person() as me:
        removed = me.devices.remove(device)
    if removed is None:
        return _absent("there is no such device")
    return Told(
        {"removed": {"places": removed.places, "notices": removed.notices}},
        [good(f"Removed, with {count(removed.places, 'place')} and {count(removed.notices, 'notice')}.")],
    )


def list_places(
    place: Place, most: Annotated[int, typer.Option("--most", min=1, max=50, metavar="N", help="how many")] = 5
) -> Told:
    """Show where the person stopped.

    The places written last, newest first: references and posture, no content.
    """
    with place.person() as me:
        tokens = me.continuation.recent(limit=most)
    now = present()
    lines: list[Words] = []
    for token in tokens:
        anchor = token.anchor_ref
        lines.append(head(f"{anchor.surface.value} {anchor.ref}: {anchor.unit.value} {anchor.position}"))
        lines.append(
            dim(f"  {token.posture.value} on {token.device_id} {ago(token.updated_at, now)} · {token.token_id}")
        )
    lines.append(dim(count(len(tokens), "place")))
    return Told({"tokens": tokens}, lines)


def drop_place(
    place: Place, token: Annotated[str, typer.Argument(metavar="TOKEN", help="the id of the place")]
) -> Told:
    """Forget one place to continue from."""
    with place.person() as me:
        dropped = me.continuation.drop(token)
    if not dropped:
        return _absent("there is no such place")
    return Told({"dropped": True}, [good("Dropped.")])


def _absent(what: str) -> Told:
    document = {"error": {"code": "not-found", "message": what}}
    return Told(document, [bad(f"{what[0].upper()}{what[1:]}.")], ExitCode.NOT_FOUND)

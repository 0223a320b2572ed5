"""Who looked, and of which looks a person was given notice: in plain sentences, without a name of an operator."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
from browsing import TENANT, Site, axe, served_site, sideways
from operating_pages import inspector, person_with_safety

from iris_memory.contracts.inspection import Inspection, InspectionPage
from iris_memory.flows import tend
from words import stands_in

pytestmark = pytest.mark.enable_socket


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with served_site(tmp_path_factory.mktemp("noticed")) as site:
        yield site


def looked_at(site: Site, user: str) -> None:
    """Have safety-critical memory looked at after an incident, with two to approve it."""
    case = person_with_safety(site, user)
    asks = inspector(site, "t&s", "tess")
    asked = asks.request(
        user,
        path="incident-escalation",
        reason="safety-incident",
        reference="INC-7",
        target={"categories": ["safety"], "include_sensitive": True},
        consent_snapshot_id=asks.consent_snapshot(user),
        incident=json.loads(case.reference),
    )
    assert isinstance(asked, Inspection), asked
    for role, name in (("legal", "lena"), ("admin", "ann")):
        assert isinstance(inspector(site, role, name).approve(asked.inspection_id), Inspection)
    assert isinstance(asks.read(asked.inspection_id), InspectionPage)
    inspector(site, "t&s", "tess").close(asked.inspection_id)


def test_a_notice_is_on_the_page_once_it_was_given(place: Site) -> None:
    client = place.client("pia")
    place.memory("pia")
    assert "You were given no notice." in client.get("/looked").text
    looked_at(place, "pia")
    before = " ".join(client.get("/looked").text.split())
    assert "trust and safety looked at 1 memory" in before
    tend.minutely(place.iris.instruments)
    text = " ".join(client.get("/looked").text.split()).replace("&#39;", "'")
    assert "trust and safety looked at sensitive memory of yours, because somebody's safety was at risk." in text
    assert "You were given no notice." not in text
    index = " ".join(client.get("/memory").text.split())
    assert '<a href="/looked#notices">You were given 1 notice of looks at sensitive memory.</a>' in index
    assert not [name for name in ("tess", "lena", "ann", "INC-7") if stands_in(name, text)]
    place.clock.step(timedelta(days=1))
    looked_at(place, "pia")
    tend.minutely(place.iris.instruments)
    told = place.iris.for_user(tenant=TENANT, user="pia").notices()
    assert [one.first_read_at for one in told] == sorted((one.first_read_at for one in told), reverse=True)
    assert len(told) == 2
    text = place.client("pia").get("/looked").text
    assert text.count("looked at sensitive memory of yours") == 2
    times = [f'datetime="{one.first_read_at:%Y-%m-%dT%H:%M}' for one in told]
    assert text.rindex(times[0]) < text.rindex(times[1]), "newest first"
    other = place.client("quinn")
    place.memory("quinn")
    assert "You were given no notice." in other.get("/looked").text


def test_the_page_with_a_notice_is_sound(site: Site) -> None:
    looked_at(site, "rosa")
    tend.minutely(site.iris.instruments)
    assert site.iris.for_user(tenant=TENANT, user="rosa").notices()
    for dark, size in ((False, (1280, 900)), (True, (320, 640))):
        page = site.visit("rosa", "/looked", dark=dark, size=size)
        assert page.get_by_role("heading", name="Notices").is_visible()
        assert (axe(page), sideways(page)) == ([], [])

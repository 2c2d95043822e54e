"""A site that may be struck: its own servers, a clock, an endpoint behind a cable."""

from collections.abc import Iterator

import pytest

from tests.chaos.cable import Cable
from tests.chaos.world import World, port_of
from tests.services.site import Site, site


@pytest.fixture(scope="session")
def whole_site() -> Iterator[Site]:
    """Servers of its own, with the clock, and the worker for everything but calls."""
    with site() as made:
        made.env["CHAOS_KEY"] = "no secret, but as long as one"
        made.clock()
        made.worker("blindverse", threads=2)
        yield made


@pytest.fixture
def world(whole_site: Site) -> Iterator[World]:
    """The site with a fresh endpoint; its workers are gone when the test ends."""
    endpoint = whole_site.endpoint()
    cable = Cable(port_of(endpoint))
    made = World(whole_site, endpoint, cable)
    yield made
    made.rest()
    cable.close()
    endpoint.process.stop()

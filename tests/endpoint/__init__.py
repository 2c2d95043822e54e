"""A provider of language models that behaves as told, over real HTTP, in three wire formats."""

from tests.endpoint.asked import Asked
from tests.endpoint.behaviours import BEHAVIOURS, Behaviour, Scenario, Way
from tests.endpoint.server import Endpoint

__all__ = ["BEHAVIOURS", "Asked", "Behaviour", "Endpoint", "Scenario", "Way"]

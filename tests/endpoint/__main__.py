"""Serve the endpoint as a process of its own; its address is the first line it prints."""

import argparse
import signal

from tests.endpoint.behaviours import BEHAVIOURS, CHANGING, Scenario
from tests.endpoint.server import Endpoint


def main() -> None:
    """Serve until told to stop."""
    told = _told()
    scenario = Scenario(
        latency=told.latency,
        jitter=told.jitter,
        behaviour=told.behaviour,
        shares={name: float(share) for name, share in (each.split("=") for each in told.share)},
        parallel=told.parallel,
        seed=told.seed,
    )
    # Blocked before any thread starts, so that this one alone takes them.
    signals = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    endpoint = Endpoint(scenario, port=told.port, honours_idempotency=not told.ignores_idempotency)
    print(endpoint.url, flush=True)  # noqa: T201
    signal.sigwait(signals)
    endpoint.stop()


def _told() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.endpoint", description=__doc__)
    names = sorted({*BEHAVIOURS, *CHANGING})
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds until an answer")
    parser.add_argument("--jitter", type=float, default=0.0, help="up to so much more or less")
    parser.add_argument("--behaviour", choices=names, default="", help="of every model")
    parser.add_argument(
        "--share",
        action="append",
        default=[],
        metavar="NAME=PART",
        help="let a part of the requests be answered otherwise, as busy-seconds=0.05",
    )
    parser.add_argument("--parallel", type=int, help="more requests at once are told to wait")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ignores-idempotency", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()

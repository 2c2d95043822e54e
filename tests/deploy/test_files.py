"""The deployment files agree with each other and with what the settings read."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.conftest import ROOT, VARIABLE

PARTS = ("web", "worker", "calls", "beat", "migrate")


@pytest.fixture(scope="session")
def read_by_settings() -> set[str]:
    """Every name that is handed to a function of ``backend.config.environment``."""
    return {
        str(call.args[0].value)
        for path in (ROOT / "backend" / "config").rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == "environment"
        and isinstance(call.args[0], ast.Constant)
    }


@pytest.fixture(scope="session")
def asked_by_compose() -> set[str]:
    """Every variable that ``compose.yaml`` fills in."""
    return {found["name"] for found in VARIABLE.finditer((ROOT / "compose.yaml").read_text())}


def test_the_example_names_every_setting_and_no_other(
    read_by_settings: set[str], asked_by_compose: set[str]
) -> None:
    example = (ROOT / ".env.example").read_text()

    named = re.findall(r"^#?([A-Z_]+)=", example, re.MULTILINE)

    assert sorted(named) == sorted(read_by_settings | asked_by_compose)


def test_the_example_holds_no_secret() -> None:
    example = (ROOT / ".env.example").read_text()

    assert not re.findall(r"^[A-Z_]+=.+", example, re.MULTILINE)


def test_compose_sets_nothing_that_is_not_read(
    compose: dict[str, Any], read_by_settings: set[str]
) -> None:
    for part in PARTS:
        assert set(compose["services"][part]["environment"]) <= read_by_settings


def test_every_secret_has_to_be_given_and_says_where(compose: dict[str, Any]) -> None:
    text = (ROOT / "compose.yaml").read_text()

    for name in ("BLINDVERSE_SECRET_KEY", "BLINDVERSE_HOSTS", "POSTGRES_PASSWORD"):
        uses = [found for found in VARIABLE.finditer(text) if found["name"] == name]
        assert uses
        assert all(use["kind"] == "?" and ".env" in use["rest"] for use in uses)


def test_every_part_waits_for_parts_that_exist(compose: dict[str, Any]) -> None:
    services = compose["services"]
    for service in services.values():
        for other, terms in service.get("depends_on", {}).items():
            if terms["condition"] == "service_healthy":
                assert "healthcheck" in services[other] or services[other].get("build") == "."
            else:
                assert services[other]["restart"] == "no"


def test_images_are_pinned(compose: dict[str, Any], dockerfile: list[str]) -> None:
    images = [s["image"] for s in compose["services"].values() if "build" not in s]
    images += [line.split()[1] for line in dockerfile if line.startswith("FROM")]

    assert [image for image in images if not re.search(r":\d+\.\d+", image)] == []


def test_every_container_gets_as_little_as_it_can_do_with(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]


def test_one_port_is_open_and_it_is_chosen_outside(compose: dict[str, Any]) -> None:
    ports = [p for service in compose["services"].values() for p in service.get("ports", [])]

    assert ports == ["${PORT:-8000}:8000"]


def test_database_and_redis_are_reached_from_inside_alone(compose: dict[str, Any]) -> None:
    assert compose["networks"]["inside"] == {"internal": True}
    for name in ("db", "redis"):
        assert compose["services"][name]["networks"] == ["inside"]
        assert "ports" not in compose["services"][name]


def test_named_files_and_volumes_exist(compose: dict[str, Any]) -> None:
    assert (ROOT / compose["configs"]["proxy"]["file"]).is_file()
    mounted = [v for service in compose["services"].values() for v in service.get("volumes", [])]
    assert {mount.split(":")[0] for mount in mounted} == set(compose["volumes"])


def test_the_database_has_connections_for_all(compose: dict[str, Any]) -> None:
    text = (ROOT / "compose.yaml").read_text()
    default = {f["name"]: f["rest"] for f in VARIABLE.finditer(text) if f["kind"] == "-"}
    number = {name: int(value) for name, value in default.items() if value.isdecimal()}

    processes = (
        number["BLINDVERSE_WEB_REPLICAS"] * number["BLINDVERSE_WEB_WORKERS"]
        + number["BLINDVERSE_WORKER_REPLICAS"]
        + number["BLINDVERSE_CALL_REPLICAS"]
        + 1
    )

    allowed = int(compose["services"]["db"]["command"][-1].removeprefix("max_connections="))
    # Twice the default: room to add as many again before this has to be thought about.
    assert 2 * processes * number["BLINDVERSE_DATABASE_POOL"] <= allowed


def test_the_image_runs_as_nobody_in_particular_and_carries_no_secret(
    dockerfile: list[str],
) -> None:
    assert "USER 10001" in dockerfile
    baked = [line for line in dockerfile if line.startswith(("ENV", "ARG"))]
    assert not [line for line in baked if re.search("SECRET|PASSWORD|KEY|_URL", line)]


def test_what_the_image_does_not_copy_does_not_reach_it(dockerfile: list[str]) -> None:
    copied = {
        name
        for line in dockerfile
        if line.startswith("COPY") and "--from" not in line
        for name in line.split()[1:-1]
    }
    ignored = (ROOT / ".dockerignore").read_text().splitlines()

    assert "*" in ignored
    assert {line[1:] for line in ignored if line.startswith("!")} == copied


def test_the_compose_file_is_one() -> None:
    command = ["check_jsonschema", "--builtin-schema", "vendor.compose-spec", "compose.yaml"]
    subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=True)


def test_the_dockerfile_has_nothing_to_object_to() -> None:
    subprocess.run([Path(sys.executable).with_name("hadolint"), "Dockerfile"], cwd=ROOT, check=True)


def pinned_in(lock: str) -> set[str]:
    return set(re.findall(r"^(\S+==\S+)", (ROOT / lock).read_text(), re.MULTILINE))


def names(requirements: list[str]) -> set[str]:
    """Return what each requirement is a requirement of, without extras and versions."""
    return {found[0] for each in requirements if (found := re.match(r"[\w-]+", each))}


def test_each_locked_environment_holds_all_of_the_smaller_one() -> None:
    run = pinned_in("requirements.lock")
    providers = pinned_in("requirements-providers.lock")

    assert run < providers < pinned_in("requirements-dev.lock")


def test_no_lock_file_names_a_host() -> None:
    for lock in ROOT.glob("requirements*.lock"):
        assert "://" not in lock.read_text()


def test_the_core_and_each_provider_are_locked_where_they_belong() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    core = names(project["dependencies"])
    extras = names([each for extra in project["optional-dependencies"].values() for each in extra])
    run, providers = (
        {pin.split("==")[0].split("[")[0] for pin in pinned_in(lock)}
        for lock in ("requirements.lock", "requirements-providers.lock")
    )

    assert core <= run
    assert extras <= providers
    assert not extras & run


def test_the_image_installs_what_every_provider_needs(dockerfile: list[str]) -> None:
    (install,) = (line for line in dockerfile if "uv pip sync" in line)

    assert install.split()[-1] == "/requirements-providers.lock"

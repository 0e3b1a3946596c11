"""What runs the lab in a container says what the lab knows: its options, its variables, its files."""

from __future__ import annotations

import fnmatch
import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from lab import cli
from lab.models.endpoint import public

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
OWN = {"LAB_ADDRESS", "LAB_MEMORY"}
"""What only compose.yaml reads."""


def instruction(name: str) -> str:
    """The last instruction of this name, its lines joined."""
    joined = DOCKERFILE.replace("\\\n", " ")
    return next(line for line in reversed(joined.splitlines()) if line.startswith(f"{name} "))


def test_every_variable_is_one_that_the_readmes_explain():
    used = set(re.findall(r"\bLAB_[A-Z_]+", DOCKERFILE)) | set(COMPOSE["services"]["lab"]["environment"])
    assert used
    for name in ("README.md", "README.zh.md"):
        told = set(re.findall(r"`(LAB_[A-Z_]+)", (ROOT / name).read_text("utf-8")))
        assert used - told == set()
    text = (ROOT / "compose.yaml").read_text("utf-8")
    assert set(re.findall(r"\$\{(LAB_[A-Z_]+)", text)) - set(COMPOSE["services"]["lab"]["environment"]) == OWN


def test_its_command_starts_the_server_where_it_is_asked_after_its_health(monkeypatch: pytest.MonkeyPatch):
    command = json.loads(instruction("CMD").removeprefix("CMD "))
    assert command[0] in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    started = []
    monkeypatch.setattr("lab.ui.launch.start", lambda script, options: started.append((script, list(options))) or 0)
    assert cli.main(command[1:]) == 0
    ((script, options),) = started
    assert script.name == "app.py"
    assert "--server.address=0.0.0.0" in options, "within a container, all addresses are its own"
    port = next(o.partition("=")[2] for o in options if o.startswith("--server.port="))
    assert f"http://127.0.0.1:{port}/_stcore/health" in instruction("HEALTHCHECK")
    assert instruction("EXPOSE") == f"EXPOSE {port}"
    assert all(str(p).endswith(f":{port}:{port}") for p in COMPOSE["services"]["lab"]["ports"])


def test_nobody_works_as_root_and_only_data_and_the_temporary_folder_are_written():
    assert instruction("USER") == "USER lab"
    assert DOCKERFILE.index("USER lab") < DOCKERFILE.index("CMD [")
    lab = COMPOSE["services"]["lab"]
    assert lab["read_only"] is True
    assert lab["tmpfs"] == ["/tmp"]
    assert [v.partition(":")[2] for v in lab["volumes"]] == ["/data"] == [instruction("VOLUME").split()[1]]
    assert lab["cap_drop"] == ["ALL"]
    for folder in re.findall(r"LAB_\w+_DIR=(\S+)", DOCKERFILE):
        assert folder.startswith("/data/")


@pytest.mark.parametrize(
    ("server", "port", "variable"), [("chroma", 8000, "CHROMA_URL"), ("milvus", 19530, "MILVUS_URI")]
)
def test_a_server_beside_the_lab_comes_by_its_profile_keeps_its_data_and_is_reached_by_the_lab_alone(
    server: str, port: int, variable: str
):
    service = COMPOSE["services"][server]
    assert service["profiles"] == [server]
    assert "ports" not in service
    (volume,) = service["volumes"]
    assert volume.partition(":")[0] in COMPOSE["volumes"]
    command = f"LAB_{variable}=http://{server}:{port} docker compose --profile {server} up"
    assert all(command in (ROOT / name).read_text("utf-8") for name in ("README.md", "README.zh.md"))
    assert f"LAB_{variable}" in COMPOSE["services"]["lab"]["environment"]


def test_what_the_package_is_made_of_is_not_left_out():
    out = lines_of(".dockerignore")
    built = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {"pyproject.toml", "README.md", "LICENSE", *built["packages"], *built["force-include"]}
    assert [name for name in needed if excluded(name, out)] == []


SECRETS = (
    ".streamlit/secrets.toml",
    ".env",
    ".env.local",
    ".env.production",
    "lab/.env",
    "pages/start/.env.local",
    "pages/.streamlit/secrets.toml",
)


def excluded(path: str, patterns: list[str]) -> bool:
    """Whether a file stays outside, by these patterns of .dockerignore: ``**/`` is any folder, or none."""
    ends = ["/".join(path.split("/")[i:]) for i in range(path.count("/") + 1)]
    return any(
        any(fnmatch.fnmatchcase(end, pattern.removeprefix("**/")) for end in ends)
        if pattern.startswith("**/")
        else fnmatch.fnmatchcase(path, pattern) or path.startswith(f"{pattern}/")
        for pattern in patterns
    )


def lines_of(name: str) -> list[str]:
    """The patterns of a file of them, without comments."""
    return [line for line in (ROOT / name).read_text("utf-8").splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("path", SECRETS)
def test_no_file_with_a_secret_reaches_the_builder_of_the_image(path: str):
    assert excluded(path, lines_of(".dockerignore"))
    assert not excluded("lab/models/secrets.py", lines_of(".dockerignore")), "code is none"


def test_no_file_with_a_secret_is_committed():
    assert {".streamlit/secrets.toml", ".env", ".env.*"} <= set(lines_of(".gitignore"))


def test_no_source_stays_in_a_layer_of_the_image():
    steps = DOCKERFILE.replace("\\\n", " ").splitlines()
    assert [step for step in steps if step.startswith(("COPY", "ADD"))] == []
    (built,) = [step for step in steps if "pip install" in step]
    assert re.match(r"RUN --mount=type=bind,target=(/\w+) python -m pip install --no-cache-dir \"\1\[scale\]\"", built)
    assert "rw" not in built.split()[1].split(","), "nothing is written into the sources"


def test_no_secret_is_an_argument_or_a_variable_of_the_image():
    assert not re.search(r"(?m)^ARG|KEY|TOKEN|PASSWORD", DOCKERFILE)


def test_the_readmes_quote_the_benchmark_of_a_class():
    table = (ROOT / "benchmarks/results/classroom.md").read_text("utf-8")
    row = next(
        line for line in table.splitlines() if line.startswith("| as they are started") and "30 visitors" in line
    )
    fusion = row.split("|")[4].strip()
    assert f"wait {fusion} ms" in (ROOT / "README.md").read_text("utf-8")
    assert f"等 {fusion} 毫秒" in (ROOT / "README.zh.md").read_text("utf-8")


def test_the_readmes_quote_the_benchmark_of_a_lesson():
    text = (ROOT / "benchmarks/results/lesson.md").read_text("utf-8")
    rows = {cells[1].strip(): cells[2:-1] for cells in (row.split("|") for row in text.splitlines()) if len(cells) > 3}
    median, most = (n.strip() for n in rows["all"][1:])
    act, visitors = (
        rows["processor milliseconds per action"],
        rows["visitors at this pace that keep one core busy, calculated"],
    )
    memory = [rows[name][0].strip() for name in ("maximum, MB", "per visitor, MB")]
    left = next(cells for name, cells in rows.items() if name.endswith("after the last visitor left, MB"))
    told = [median, most, act[0].strip(), visitors[0].strip(), *memory, left[0].strip()]
    for name, begin in (("README.md", "In a lesson of thirty"), ("README.zh.md", "三十个人上一节课")):
        said = next(x for x in (ROOT / name).read_text("utf-8").splitlines() if x.startswith(begin))
        assert re.findall(r"\d[\d.]*", said.replace("95 of 100", "")) == told


SPACE = ROOT / "deploy" / "space"


def test_a_space_starts_the_same_server_for_strangers(monkeypatch: pytest.MonkeyPatch):
    lines = (SPACE / "Dockerfile").read_text("utf-8").replace("\\\n", " ").splitlines()
    (command,) = (json.loads(line.removeprefix("CMD ")) for line in lines if line.startswith("CMD "))
    usual = json.loads(instruction("CMD").removeprefix("CMD "))
    assert command == [*usual, "--server.enableXsrfProtection=false"], "its frame has no cookie for uploads"
    assert any("pip install" in line and "-c /tmp/constraints.txt" in line for line in lines)
    _, header, _ = (SPACE / "README.md").read_text("utf-8").split("---\n", 2)
    card = yaml.safe_load(header)
    assert card["sdk"] == "docker"
    assert f"EXPOSE {card['app_port']}" in lines
    assert len(card["short_description"]) <= 60, "a Space shows no more"
    (settings,) = (line.removeprefix("ENV ") for line in lines if line.startswith("ENV "))
    for name, value in (pair.split("=") for pair in settings.split()):
        monkeypatch.setenv(name, value)
    assert public()
    assert lines.index("USER user") < lines.index("EXPOSE 8501"), "nobody works as root"

"""The package as it is published: its licences, its files."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
LICENCES = {"LICENSE": "Apache License", "lab/models/built_in/LICENSE": "Attribution-ShareAlike 4.0 International"}


def test_the_licence_names_the_code_s_and_the_built_in_model_s_and_both_texts_are_there():
    assert PROJECT["license"] == "Apache-2.0 AND CC-BY-SA-4.0"
    assert PROJECT["license-files"] == list(LICENCES)
    for name, title in LICENCES.items():
        assert (ROOT / name).read_text("utf-8").lstrip().startswith(title)
    assert "license: cc-by-sa-4.0" in (ROOT / "lab/models/built_in/README.md").read_text("utf-8")


@pytest.mark.nightly
def test_the_wheel_tells_both_licences_and_holds_the_app_and_no_secret(tmp_path: Path):
    pytest.importorskip("hatchling", reason="hatchling, which builds the wheel, is not installed")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (file,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(file) as wheel:
        names = wheel.namelist()
        (metadata,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        told = Parser().parsestr(wheel.read(metadata).decode("utf-8"))
    assert told["License-Expression"] == PROJECT["license"]
    assert told.get_all("License-File") == list(LICENCES)
    assert {f"{Path(metadata).parent}/licenses/{name}" for name in LICENCES} <= set(names)
    assert {"lab/_app/app.py", "lab/_app/.streamlit/config.toml", "lab/models/built_in/model.safetensors"} <= set(names)
    assert [name for name in names if Path(name).name == "secrets.toml" or Path(name).name.startswith(".env")] == []

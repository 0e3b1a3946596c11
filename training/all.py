"""All steps in turn: tokenizer, teacher, train, quantise, evaluate; each in a process of its own.

Options after `--` go to the training step.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from training.material import arguments

FILES = {
    "tokenizer": "tokens_dev.npz",
    "teacher": "teacher.npz",
    "train": "vectors.npz",
    "quantise": "model/model.safetensors",
}
"""What each step leaves in the work folder; a step whose file is there is not done again unless told so."""


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--collections", type=Path, help="folder of collections in the BEIR layout, for the report")
    parser.add_argument("--again", action="store_true", help="do every step, also where its result is there")
    own, further = sys.argv[1:], []
    if "--" in own:
        own, further = own[: own.index("--")], own[own.index("--") + 1 :]
    options = parser.parse_args(own)
    start = time.perf_counter()
    for step in (*FILES, "evaluate"):
        if step in FILES and (options.work / FILES[step]).exists() and not options.again:
            print(f"{step}: done before", flush=True)
            continue
        command = [
            sys.executable,
            "-m",
            f"training.{step}",
            "--data",
            options.data,
            "--work",
            options.work,
            "--seed",
            str(options.seed),
        ]
        command += further if step == "train" else []
        command += ["--collections", options.collections] if step == "evaluate" and options.collections else []
        subprocess.run(command, check=True)
    print(f"All steps: {(time.perf_counter() - start) / 60:.1f} minutes", flush=True)


if __name__ == "__main__":
    main()

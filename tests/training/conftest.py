"""`training` is no part of the installed package: it is found in the project's root."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

"""The folders of the code and of its pages: the core's, and those of the packs that are there."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKS = sorted(path.parent for path in ROOT.glob("lab_packs/*/__init__.py"))
FOLDERS = [ROOT / "lab", ROOT / "pages", *PACKS]
PAGES = sorted([*ROOT.glob("pages/*/*/page.py"), *ROOT.glob("lab_packs/*/pages/*/*/page.py")])
CATALOGUES = sorted(path for x in ("lab/ui", "lab_packs/*") for path in ROOT.glob(f"{x}/locale/zh/LC_MESSAGES/*.po"))
NAMES = [path.relative_to(ROOT).as_posix() for path in PAGES]
"""The file of each page, as Streamlit's test runner is given it."""


def file_of(page: str) -> str:
    """Returns the file of a page by its name, or by section and name."""
    return next(path for path in NAMES if path.endswith(f"/{page}/page.py"))


def there(*pages: str) -> list[str]:
    """Returns those of these pages, by section and name, that the core or a pack that is there has."""
    return [page for page in pages if any(path.endswith(f"/{page}/page.py") for path in NAMES)]


def code(*folders: Path) -> list[Path]:
    """Returns the modules below these folders, by default all of the lab and of the packs without their tests."""
    files = [path for folder in folders or FOLDERS for path in sorted(folder.rglob("*.py"))]
    return [path for path in files if not any(path.is_relative_to(pack / "tests") for pack in PACKS)]


def guides(language: str) -> list[Path]:
    """Returns the guides of all pages in a language."""
    added = sorted(ROOT.glob(f"lab_packs/*/guides/*/*/guide.{language}.md"))
    return [*(path.with_name(f"guide.{language}.md") for path in PAGES if path.parent.name != "home"), *added]


def guide(page: str, language: str) -> Path:
    """Returns the guide of a page by section and name, such as ``refine/rerank``."""
    return next(path for path in guides(language) if path.parent.as_posix().endswith(f"/pages/{page}"))

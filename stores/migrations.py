"""The SQL scripts that bring a database to the format of this version.

Each engine has its own scripts.
"""

from __future__ import annotations

from importlib.resources import files


def migrations(folder: str, **values: str) -> tuple[str, ...]:
    """Return the scripts of a folder of `stores/` in the order of their numbers.

    The names of `values` are replaced by the values in the scripts. Scripts may only be appended:
    existing databases do not run the earlier ones again.
    """
    found = [
        one for one in files(__package__).joinpath(folder).iterdir() if one.name.endswith(".sql")
    ]
    scripts = [one.read_text(encoding="utf-8") for one in sorted(found, key=lambda one: one.name)]
    for name, value in values.items():
        scripts = [script.replace(name, value) for script in scripts]
    return tuple(scripts)

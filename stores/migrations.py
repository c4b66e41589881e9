"""The SQL scripts that bring a database to the form of this version; each engine has its own."""

from __future__ import annotations

from importlib.resources import files


def migrations(folder: str, **values: str) -> tuple[str, ...]:
    """Return the scripts of a folder of `stores/` in the order of their numbers, with `values` in place of their names.

    Append only: existing databases have had the first ones applied.
    """
    found = [one for one in files(__package__).joinpath(folder).iterdir() if one.name.endswith(".sql")]
    scripts = [one.read_text(encoding="utf-8") for one in sorted(found, key=lambda one: one.name)]
    for name, value in values.items():
        scripts = [script.replace(name, value) for script in scripts]
    return tuple(scripts)

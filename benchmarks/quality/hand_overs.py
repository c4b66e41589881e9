"""Hand-overs as the rules file them, for people who judge them.

    python -m benchmarks.quality.hand_overs SHEET.json [--verdicts VERDICTS.json]

The data, `benchmarks/data/hand_overs.jsonl`, are 100 hand-overs a language, with who and when is meant in each text (`truth`).
The first call writes a sheet: each text that is marked absolute, with its hand-over, the messages before and the truth. A person
who has not seen the rules reads each line alone, as one does a year later, and writes a JSON object from `n` to "ok", "wrong"
(another person or day than was meant, or what nobody said) or "unclear" (who or when cannot be known from the line). With these
`--verdicts` the shares are printed.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from historian.schema.job import Job
from historian.schema.settings import Settings
from historian.text.job_verdicts import by_rules

DATA = Path(__file__).parents[1] / "data" / "hand_overs.jsonl"


def sheet() -> tuple[list[dict[str, Any]], Counter[str]]:
    """Return the texts that are marked absolute, and the number of texts per language."""
    rows: list[dict[str, Any]] = []
    texts: Counter[str] = Counter()
    for line in DATA.read_text(encoding="utf-8").splitlines():
        given = json.loads(line)
        items = by_rules(
            Job.model_validate({"request_id": given["id"], **given["job"]}), Settings()
        )
        texts[given["lang"]] += len(items)
        for item in items:
            if item["passed"]:
                told = {
                    "id": given["id"],
                    "lang": given["lang"],
                    "job": given["job"],
                    "truth": given["truth"],
                }
                rows.append(
                    {
                        "n": str(len(rows) + 1),
                        **told,
                        "handed_over": item["source"],
                        "filed": item["candidate"],
                    }
                )
    return rows, texts


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sheet", type=Path)
    parser.add_argument("--verdicts", type=Path)
    options = parser.parse_args()
    rows, texts = sheet()
    if options.verdicts is None:
        options.sheet.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")
    verdicts = json.loads(options.verdicts.read_text(encoding="utf-8")) if options.verdicts else {}
    for language, whole in texts.items():
        count = Counter(
            verdicts.get(row["n"], "not judged") for row in rows if row["lang"] == language
        )
        shares = ", ".join(
            f"{name} {found} ({found / count.total():.1%})" for name, found in sorted(count.items())
        )
        print(f"{language}: {count.total()} of {whole} texts absolute; {shares}")


if __name__ == "__main__":
    main()

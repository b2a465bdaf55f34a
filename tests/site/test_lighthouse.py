"""How pages are picked for Lighthouse, and what counts of its runs."""

import pytest

from tests.site.lighthouse import LIMITS, audit, take_sample

PAGES = [f"{edition}/{page}.html" for edition in ("en", "zh-CN") for page in "abcdefg"]


@pytest.mark.parametrize("size", [1, 3, 4, 14, 20])
def test_every_page_has_its_turn(size):
    days = range(739_000, 739_000 + -(-len(PAGES) // size))
    samples = [take_sample(PAGES, size, day) for day in days]
    assert all(len(set(sample)) == min(size, len(PAGES)) for sample in samples)
    assert {page for sample in samples for page in sample} == set(PAGES)
    assert take_sample(PAGES, size, days[0]) == samples[0]


def test_a_sample_is_of_both_editions():
    for day in range(20):
        assert len({page.split("/")[0] for page in take_sample(PAGES, 4, day)}) == 2


def answers(*performance: int, seo: int = 100, speed: int = 2000):
    """Return a Lighthouse that gives these scores, one after the other."""
    left = list(performance)

    def run(url, form):
        scores = {**LIMITS["desktop"], "performance": left.pop(0), "seo": seo}
        return {"scores": scores, "lost": {name: ["slow"] for name in scores}, "speed": speed}

    return run, left


@pytest.mark.parametrize(
    ("performance", "median", "unused"),
    [
        ((96, 97, 10), 96, 1),
        ((10, 96, 97), 96, 0),
        ((96, 10, 94), 94, 0),
        ((90, 91, 100), 91, 0),
    ],
)
def test_the_median_counts(performance, median, unused):
    run, left = answers(*performance)
    found = audit(run, "http://127.0.0.1/", "mobile")
    assert found["scores"]["performance"] == median
    assert found["lost"] == ({"performance": ["slow"]} if median < 95 else {})
    assert len(left) == unused


def test_the_other_scores_must_be_whole():
    run, _ = answers(100, 100, 100, seo=99)
    assert audit(run, "http://127.0.0.1/", "desktop")["lost"] == {"seo": ["slow"]}


@pytest.mark.parametrize("speed", [1000, 1001])
def test_speed_is_not_judged_where_the_machine_is_slow(speed):
    run, _ = answers(10, 20, 30, seo=99, speed=speed)
    found = audit(run, "http://127.0.0.1/", "mobile")
    assert found["scores"]["performance"] == 20
    assert set(found["lost"]) == {"seo"} | ({"performance"} if speed > 1000 else set())

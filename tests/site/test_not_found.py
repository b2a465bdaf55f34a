"""An address that leads nowhere, at any depth: both languages, and links that lead on."""

import pytest

pytestmark = [pytest.mark.site, pytest.mark.browser]

WRONG = ["nothing.html", "en/nothing.html", "zh-CN/part/chapter/nothing.html", "a/b/c/"]


@pytest.fixture
def tab(browser):
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("wrong", WRONG)
def test_leads_to_both_editions(tab, address, wrong):
    for edition in ("en", "zh-CN"):
        answer = tab.goto(f"{address['http']}/{wrong}")
        assert answer.status == 404
        section = tab.locator(f"section[lang={edition}]")
        assert section.locator("h1").is_visible()
        links = section.locator("a")
        assert links.count() == 2
        for place in range(2):
            assert tab.request.get(links.nth(place).evaluate("(link) => link.href")).ok
        links.first.click()
        tab.wait_for_url(f"**/{edition}/index.html")


@pytest.mark.parametrize(("wrong", "first"), [(WRONG[1], "en"), (WRONG[2], "zh-CN")])
def test_language_of_the_address_comes_first(tab, address, wrong, first):
    tab.goto(f"{address['http']}/{wrong}")
    assert tab.locator("main section").first.get_attribute("lang") == first


def test_a_copy_in_a_folder_is_found(tab, address):
    tab.route(
        "**/book/**", lambda route: route.continue_(url=route.request.url.replace("/book/", "/"))
    )
    tab.goto(f"{address['http']}/book/zh-CN/part/nothing.html")
    tab.click("section[lang=zh-CN] a")
    tab.wait_for_url("**/book/zh-CN/index.html")

"""The page in front of the editions: it picks the reader's language and links to both."""

import pytest

pytestmark = [pytest.mark.site, pytest.mark.browser]


@pytest.mark.parametrize(
    ("locale", "picked"),
    [("zh-CN", "zh-CN"), ("zh-TW", "zh-CN"), ("en-US", "en"), ("fr-FR", "en")],
)
def test_picks_the_language_of_the_browser(browser, address, access, locale, picked):
    context = browser.new_context(locale=locale)
    tab = context.new_page()
    tab.goto(f"{address[access]}/index.html")
    tab.wait_for_url(f"**/{picked}/index.html")
    assert tab.locator("html").get_attribute("lang") == picked
    context.close()


def test_links_to_both_editions_without_javascript(browser, address, access):
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    for edition in ("en", "zh-CN"):
        tab.goto(f"{address[access]}/index.html")
        link = tab.locator(f"a[hreflang='{edition}']")
        assert link.is_visible()
        assert link.get_attribute("lang") == edition
        link.click()
        tab.wait_for_url(f"**/{edition}/index.html")
        assert tab.locator("article h1").is_visible()
    context.close()

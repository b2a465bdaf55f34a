// runs on the search page, between Sphinx's search and the first query

// Sphinx takes short terms for optional beside longer ones, which pairs of Chinese characters
// always are, and scores a page by its one best term. Here each term is looked up alone: a page
// must have all of them, and its score is their mean.
{
  const findTerms = Search.performTermsSearch;
  Search.performTermsSearch = (terms, excluded) => {
    const pages = new Map();
    for (const term of terms) {
      for (const result of findTerms(new Set([term]), excluded)) {
        const page = pages.get(result[0]) || { result, found: 0, score: 0 };
        page.found += 1;
        page.score += result[4] / terms.size;
        pages.set(result[0], page);
      }
    }
    return [...pages.values()]
      .filter(({ found }) => found === terms.size)
      .map(({ result, score }) => Object.assign([...result], { 4: score }));
  };
}

// the index holds titles with their formulas in TeX: show what one would write by hand
{
  const plain = (title) => title.replace(/\\sqrt\{([^{}]*)\}/g, "√$1");
  const index = Search._index;
  index.titles = index.titles.map(plain);
  index.alltitles = Object.fromEntries(
    Object.entries(index.alltitles).map(([title, places]) => [plain(title), places]),
  );

  // quote the text of the page alone, and each formula once instead of in all its three forms
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    const article = page.querySelector("article");
    article.querySelectorAll(".headerlink, script, style").forEach((element) => element.remove());
    article.querySelectorAll(".katex").forEach((formula) => {
      formula.replaceWith(plain(formula.querySelector("annotation").textContent));
    });
    return ((anchor && article.querySelector(anchor)) || article).textContent;
  };
}

// a page opened from disk may not fetch another: show the results without quotations
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

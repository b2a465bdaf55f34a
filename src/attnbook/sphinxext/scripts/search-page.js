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

// a page opened from disk may not fetch another: show the results without quotations
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

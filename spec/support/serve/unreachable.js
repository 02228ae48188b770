/**
 * Finds the texts of the questions on the page that are cut off and cannot be scrolled into view.
 *
 * Runs in the page. Its value is a list of those texts, each with the element that cuts it off.
 */
(() => {
  const cutBy = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    let { left, right } = range.getBoundingClientRect();
    if (right - left === 0) return undefined;
    for (let at = node.parentElement; at !== null; at = at.parentElement) {
      const overflow = getComputedStyle(at).overflowX;
      if (overflow === "visible" || getComputedStyle(at).display === "inline") continue;
      const box = at.getBoundingClientRect();
      const isScrolled = overflow === "auto" || overflow === "scroll";
      const start = box.left - (isScrolled ? at.scrollLeft : 0);
      const end = isScrolled ? start + at.scrollWidth + at.clientLeft : box.right;
      if (left < start - 1 || right > end + 1) return at;
      if (isScrolled) ({ left, right } = box);
    }
    return undefined;
  };
  const found = [];
  for (const card of document.querySelectorAll(".tool.asking")) {
    const walker = document.createTreeWalker(card, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const by = cutBy(node);
      const name = (element) => `${element.localName}.${element.className}`;
      if (by !== undefined) found.push(`${name(node.parentElement)} is cut off by ${name(by)}`);
    }
  }
  return found;
})();

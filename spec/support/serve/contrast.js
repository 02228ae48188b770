/**
 * Finds the texts of the page whose colour is too close to their background.
 *
 * Runs in the page. Its value is a list of those texts, each with its ratio; WCAG asks
 * for 4.5 at level AA.
 */
(() => {
  const channels = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const linear = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const groundOf = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if ((colour[3] ?? 1) === 1) return colour;
    }
    return [255, 255, 255];
  };
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const { parentElement, textContent } = node;
    if (textContent.trim() === "" || !parentElement.checkVisibility({ opacityProperty: true })) continue;
    const levels = [light(channels(getComputedStyle(parentElement).color)), light(groundOf(parentElement))];
    const ratio = (Math.max(...levels) + 0.05) / (Math.min(...levels) + 0.05);
    if (ratio < 4.5) faint.push(`${ratio.toFixed(2)} ${textContent.slice(0, 40)}`);
  }
  return faint;
})();

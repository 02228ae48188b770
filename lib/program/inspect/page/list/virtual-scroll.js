/**
 * Computes which lines of a long list are visible, and where they are drawn.
 *
 * Browsers limit the height of an element (Firefox to 17.9 million px). A list that would
 * be higher gets the greatest height, and its scroll position is scaled.
 */

const maxHeightPx = 12_000_000;

/** `viewPx`: the height of the visible part. @typedef {{ readonly count: number, readonly rowPx: number, readonly viewPx: number }} ScrollSpace */

/** @param {ScrollSpace} space */
export function heightOf({ count, rowPx }) {
  return Math.min(maxHeightPx, count * rowPx);
}

/** The offset into the whole list at a scroll position. @param {ScrollSpace} space @param {number} scrollTop */
export function offsetAt(space, scrollTop) {
  return scrollTop * scaleOf(space);
}

/** The scroll position at an offset into the whole list. @param {ScrollSpace} space @param {number} offset */
export function scrollTopAt(space, offset) {
  return offset / scaleOf(space);
}

/** How much further the list moves than its scroll position. @param {ScrollSpace} space */
function scaleOf(space) {
  const { count, rowPx, viewPx } = space;
  const [whole, height] = [count * rowPx, heightOf(space)];
  return whole <= height ? 1 : (whole - viewPx) / (height - viewPx);
}

/** The mark beside the instance's name: an arrow on a square with round corners. */
export const MARK_SIZE = 32;
export const MARK_RADIUS = 9;
export const MARK_STROKE = 3;

/** Lines with round ends: x1, y1, x2, y2. */
export const MARK_LINES = [
  [9, 16, 23, 16],
  [17, 10, 23, 16],
  [17, 22, 23, 16],
] as const;

const path = MARK_LINES.map(([x1, y1, x2, y2]) => `M${x1} ${y1}L${x2} ${y2}`).join("");

/** Colours come from the style of the page. */
export const MARK = `<svg viewBox="0 0 ${MARK_SIZE} ${MARK_SIZE}" aria-hidden="true"><rect width="${MARK_SIZE}" height="${MARK_SIZE}" rx="${MARK_RADIUS}"/><path d="${path}" stroke-width="${MARK_STROKE}"/></svg>`;

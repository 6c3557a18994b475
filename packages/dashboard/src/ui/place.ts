const EDGE_PX = 8;
const GAP_PX = 4;

/**
 * Puts something that floats below its anchor, or above where there is no room, and inside the window. `line`: what it
 * must not cover either.
 */
export function placeBelow(floating: HTMLElement, anchor: HTMLElement, line = anchor): void {
  const { left: start, right: end } = anchor.getBoundingClientRect();
  const at = line.getBoundingClientRect();
  const { width, height } = floating.getBoundingClientRect();
  const alignsRight = start + width > innerWidth - EDGE_PX;
  const left = alignsRight ? end - width : start;
  const below = at.bottom + GAP_PX;
  const top = below + height > innerHeight - EDGE_PX && at.top > height + EDGE_PX ? at.top - height - GAP_PX : below;
  floating.style.left = `${Math.max(EDGE_PX, Math.min(left, innerWidth - width - EDGE_PX))}px`;
  floating.style.top = `${Math.max(EDGE_PX, Math.min(top, innerHeight - height - EDGE_PX))}px`;
}

/** What was given a title here, so that it can follow the text. */
const titled = new WeakSet<HTMLElement>();
/** A cell and what is in it: further up nothing cuts off the same text. */
const LEVELS = 4;

/** Text that has no room says itself whole to who points at it, wherever it is. */
export function showFullTexts(): void {
  addEventListener('pointerover', ({ target }) => {
    let element = target instanceof HTMLElement ? target : null;
    for (let level = 0; element !== null && level < LEVELS; level++, element = element.parentElement) {
      if (element.title !== '' && !titled.has(element)) return;
      if (!isCut(element)) continue;
      titled.add(element);
      element.title = element.innerText.trim();
      return;
    }
  });
}

function isCut(element: HTMLElement): boolean {
  return element.scrollWidth > element.clientWidth && getComputedStyle(element).textOverflow === 'ellipsis';
}

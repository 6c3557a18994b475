import styles from '../ui/overlay.module.css';
import { placeBelow } from '../ui/place.ts';

/** What was given a title here, so that it can follow the text. */
const titled = new WeakSet<HTMLElement>();
/** A cell and what is in it: further up nothing cuts off the same text. */
const LEVELS = 4;
const WAIT_MS = 300;
/** What is one line and can have the focus. A list or a pane holds too much to be shown again. */
const LINES = 'a, button, summary, tr, [role="row"], [role="treeitem"], [role="option"]';

/** Text that has no room is shown whole where somebody points at it, and where the keys are. */
export function showFullTexts(): void {
  addEventListener('pointerover', ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    // The text may be another one by now, which has room.
    for (const element of linesAbove(target))
      if (titled.has(element) && !isCut(element)) element.removeAttribute('title');
    const cut = cutAbove(target);
    if (cut === undefined || hasOwnTitle(cut)) return;
    titled.add(cut);
    cut.title = cut.innerText.trim();
  });
  showAtTheKeys();
}

const hasOwnTitle = (element: HTMLElement): boolean => element.title !== '' && !titled.has(element);

/** The nearest that is cut off, or that has a title of its own. */
const cutAbove = (from: HTMLElement): HTMLElement | undefined =>
  linesAbove(from).find((element) => hasOwnTitle(element) || isCut(element));

function linesAbove(from: HTMLElement): HTMLElement[] {
  const lines: HTMLElement[] = [];
  for (let element: HTMLElement | null = from; element && lines.length < LEVELS; element = element.parentElement)
    lines.push(element);
  return lines;
}

function isCut(element: Element): boolean {
  return element.scrollWidth > element.clientWidth && getComputedStyle(element).textOverflow === 'ellipsis';
}

/**
 * Browsers show a title to the pointer only, so the line with the keyboard focus has a box below it. It is for the eye:
 * what a screen reader reads is not cut off. Any key hides it, without moving the focus.
 */
function showAtTheKeys(): void {
  let tip: HTMLElement | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last: HTMLElement | undefined;
  const hide = () => {
    clearTimeout(timer);
    if (tip?.matches(':popover-open')) tip.hidePopover();
  };
  const show = () => {
    const line = lineWithFocus();
    if (line === last) return;
    last = line;
    const cut = line === undefined ? [] : cutIn(line);
    const [first] = cut;
    if (line === undefined || first === undefined) return;
    tip ??= newTip();
    tip.textContent = [...new Set(cut.map(wholeText))].join('\n');
    tip.showPopover();
    placeBelow(tip, first, line);
  };
  const showLater = () => {
    hide();
    timer = setTimeout(show, WAIT_MS);
  };
  addEventListener('focusin', () => {
    last = undefined;
    showLater();
  });
  // Before the keys of pages: an open box takes no Esc from them. Lists move to another row without moving the focus.
  addEventListener('keydown', showLater, true);
  for (const type of ['focusout', 'pointerdown', 'wheel', 'resize', 'popstate'])
    addEventListener(type, hide, { passive: true });
}

function lineWithFocus(): HTMLElement | undefined {
  const focused = document.activeElement;
  if (!focused?.matches(':focus-visible')) return undefined;
  const row = focused.getAttribute('aria-activedescendant');
  const line = row === null ? focused : document.getElementById(row);
  return line instanceof HTMLElement && line.matches(LINES) ? line : undefined;
}

/** What of a line is cut off; the cell around it, where the line is a link in one. */
function cutIn(line: HTMLElement): HTMLElement[] {
  const inside = [line, ...line.querySelectorAll<HTMLElement>('*')].filter(isCut);
  if (inside.length > 0) return inside;
  const around = cutAbove(line);
  return around !== undefined && isCut(around) ? [around] : [];
}

/** A title may name the whole of which only a part is cut off, such as a path with its key. */
function wholeText(cut: HTMLElement): string {
  const text = cut.innerText.trim();
  const title = cut.closest<HTMLElement>('[title]')?.title ?? '';
  return title.includes(text) ? title : text;
}

function newTip(): HTMLElement {
  const tip = document.createElement('div');
  tip.popover = 'manual';
  tip.setAttribute('role', 'tooltip');
  tip.className = `${styles.tooltip} ${styles.fullText}`;
  document.body.append(tip);
  return tip;
}

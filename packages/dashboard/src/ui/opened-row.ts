type OpenedRow = { hash: string; list: string; row: string };

/** The row that was opened last, and the address of its list. */
let opened: OpenedRow | undefined;
/** The address whose row has the focus again. */
let returnedTo: string | undefined;

export function rememberRow(list: string, row: string | number): void {
  opened = { hash: location.hash, list, row: String(row) };
  returnedTo = undefined;
}

/** Which row of this list was opened, where somebody is back at it and has not begun anything else. */
export function openedRowOf(list: string): string | undefined {
  if (opened?.list !== list || opened.hash !== location.hash) return undefined;
  const at = document.activeElement;
  return at === null || at === document.body || at.id === 'main' ? opened.row : undefined;
}

/** Ends the wait for the row. */
export function hasReturned(): void {
  returnedTo = opened?.hash;
  opened = undefined;
}

/** Whether the page that is new has the focus where somebody left it. Asked once for each page. */
export function takeReturn(): boolean {
  const isBack = returnedTo === location.hash;
  returnedTo = undefined;
  return isBack;
}

/** The address of the list as it was left, with its filters; undefined for the list of another page. */
export const listLeftAt = (href: string): string | undefined =>
  opened && opened.hash.split('?')[0] === href.split('?')[0] ? opened.hash : undefined;

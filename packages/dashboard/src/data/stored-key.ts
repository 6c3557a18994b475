/** The key of this tab. It is never put into an address, a log or a store that outlives the tab. */
const NAME = 'mem.key';

export function loadKey(): string {
  try {
    return sessionStorage.getItem(NAME) ?? '';
  } catch {
    // Storage may be blocked; the key then lives until the page is loaded again.
    return '';
  }
}

export function saveKey(value: string): void {
  try {
    if (value === '') sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, value);
  } catch {
    // As above.
  }
}

import { dropKey, readKey, setKey } from './key-store.ts';
import { live } from './live.ts';
import { queryClient } from './query.ts';
import { serviceUrl } from './service-url.ts';

/** Whether the service takes a key. Where it does not answer, the page will say so. */
export async function isAccepted(key: string): Promise<boolean> {
  const headers = { accept: 'application/json', 'x-mem-api-key': key.trim() };
  const answer = await fetch(`${serviceUrl()}api/v1/me`, { headers, redirect: 'manual' }).catch(() => undefined);
  return answer?.status !== 401;
}

/** Goes on with the key that there is, if the service takes it by now: a refusal may pass, as that of a proxy. */
export async function tryAgain(): Promise<void> {
  const headers = { accept: 'application/json', ...(readKey() === '' ? {} : { 'x-mem-api-key': readKey() }) };
  const answer = await fetch(`${serviceUrl()}api/v1/me`, { headers, redirect: 'manual' }).catch(() => undefined);
  if (answer?.ok) signIn(readKey());
}

/** In place of another key the page starts again: nothing that was shown with that one may stay. */
export function signIn(key: string): void {
  const before = readKey();
  setKey(key);
  if (before !== '' && before !== readKey()) location.reload();
  else {
    live.restart();
    void queryClient.resetQueries();
  }
}

/** Nothing of what was shown or typed stays: neither on the screen, nor in memory, nor in the store of the tab. */
export function signOut(): void {
  dropKey();
  try {
    // Other pages of this address may keep things there too.
    for (const name of Object.keys(sessionStorage)) if (name.startsWith('mem.')) sessionStorage.removeItem(name);
  } catch {
    // Storage may be blocked, and then has nothing.
  }
  history.replaceState(null, '', location.pathname + location.search);
  location.reload();
}

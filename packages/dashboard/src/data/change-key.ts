import { dropKey, setKey } from './key-store.ts';
import { live } from './live.ts';
import { queryClient } from './query.ts';

/** Nothing that one key was shown stays for the next. */
function beginAgain(): void {
  live.restart();
  void queryClient.resetQueries();
}

export function signIn(key: string): void {
  setKey(key);
  beginAgain();
}

export function signOut(): void {
  dropKey();
  beginAgain();
}

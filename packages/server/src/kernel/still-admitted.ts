import { renewWith } from './branch-lineages.ts';
import type { CommitObserver } from './committer.ts';
import type { Hooks } from './hooks.ts';
import { isRoomAccount, stayingWith } from './rooms.ts';

/** Writes that were admitted before their account was locked are looked at again. */
export function stillAdmittedWith(hooks: readonly Hooks[]): CommitObserver['stillAdmitted'] {
  const renewLineages = renewWith(hooks);
  const stay = stayingWith(hooks.find(({ rooms }) => rooms)?.rooms);
  return async (work, jobs, finish) => {
    const staying = isRoomAccount(work.account_id) ? await stay(work, jobs, finish) : jobs;
    return renewLineages(work, staying, finish);
  };
}

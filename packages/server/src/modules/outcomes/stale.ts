import type { Work } from '../../kernel/index.ts';
import type { EntrySet } from '../entries/index.ts';
import { listStaleReads, type OpenSession, type SessionKey, type StaleRead, staleAmong } from '../sessions/index.ts';
import type { Weighed } from './evidence.ts';
import { nameOf } from './rules/causes.ts';

type Led = { key: SessionKey; session: OpenSession; weighed: Weighed; branch: string };

/** What led to the outcome and was changed by others since: read by the session, or named with its version. */
export async function staleCauses(work: Work, entries: EntrySet, led: Led): Promise<StaleRead[]> {
  const { key, session, weighed, branch } = led;
  const read = session.reads.length === 0 ? [] : await listStaleReads(work.tx, key, work);
  const known = new Set(read.map(nameOf));
  const found = [...weighed.read.values()].flatMap((cause) => {
    const row = entries.get({ ...cause, branch });
    if (!row || known.has(nameOf(cause))) return [];
    const { entity_path, key, version } = cause;
    return [{ read: { entry_id: row.entry_id, version, branch, entity_path, key }, row }];
  });
  return [...read, ...(await staleAmong(work.tx, key, { found, look: work }))];
}

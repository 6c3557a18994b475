import type { Work } from '../../kernel/index.ts';
import type { EntrySet } from '../entries/index.ts';
import {
  listStaleReads,
  type OpenSession,
  type SessionKey,
  type StaleRead,
  staleReadsAmong,
} from '../sessions/index.ts';
import type { WeighedCauses } from './evidence.ts';
import { causeKeyText } from './rules/causes.ts';

type StaleCheck = { key: SessionKey; session: OpenSession; weighed: WeighedCauses; branch: string };

/** Returns causes that others have changed since: read by the session, or named with a version. */
export async function staleCauses(work: Work, entries: EntrySet, led: StaleCheck): Promise<StaleRead[]> {
  const { key, session, weighed, branch } = led;
  const read = session.reads.length === 0 ? [] : await listStaleReads(work.tx, key, work);
  const known = new Set(read.map(causeKeyText));
  const found = [...weighed.read.values()].flatMap((cause) => {
    const row = entries.get({ ...cause, branch });
    if (!row || known.has(causeKeyText(cause))) return [];
    const { entity_path, key, version } = cause;
    return [{ read: { entry_id: row.entry_id, version, branch, entity_path, key }, row }];
  });
  return [...read, ...(await staleReadsAmong(work.tx, key, { found, look: work }))];
}

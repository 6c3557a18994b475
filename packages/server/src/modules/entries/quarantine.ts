import type { Update } from '../../db/index.ts';
import { applyQuarantine, type EntryHead, type Work } from '../../kernel/index.ts';
import { findStoodFacts } from './by-number.ts';
import { QUARANTINED } from './rules/state.ts';

const setStates: Update = {
  table: 'entries',
  set: { deleted: 'int' },
  by: { account_id: 'text', entry_id: 'int' },
};

const ENTRIES_AT_ONCE = 500;

/** Of an account that is imported: its counts know already. */
export function restoreQuarantined(work: Work, ids: readonly number[]): void {
  const { account_id } = work;
  const rows = ids.map((entry_id) => ({ account_id, entry_id, deleted: QUARANTINED }));
  if (rows.length > 0) work.send(work.tx.updateMany(setStates, rows));
}

/**
 * Puts entries under quarantine, or releases them, whatever branch they are on. Neither writes a version: an entry is afterwards
 * what it was, and indexes still have it. Returns the heads that it changed, as they were before.
 */
export async function setQuarantine(work: Work, ids: readonly number[], isOn: boolean): Promise<EntryHead[]> {
  const { tx, account_id } = work;
  const [from, to] = isOn ? [0, QUARANTINED] : [QUARANTINED, 0];
  const all: EntryHead[] = [];
  for (let at = 0; at < ids.length; at += ENTRIES_AT_ONCE) {
    const facts = await findStoodFacts(tx, account_id, ids.slice(at, at + ENTRIES_AT_ONCE));
    const heads = facts.flatMap((head) => (head?.deleted === from ? [head] : []));
    if (heads.length === 0) continue;
    const rows = heads.map(({ entry_id }) => ({ account_id, entry_id, deleted: to }));
    work.send(tx.updateMany(setStates, rows));
    await applyQuarantine(
      work,
      heads.map((head) => ({ before: head, after: { ...head, deleted: to } })),
    );
    await work.waitForSent();
    all.push(...heads);
  }
  return all;
}

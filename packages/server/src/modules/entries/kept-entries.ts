import type { Insert, Update } from '../../db/index.ts';
import type { Work } from '../../kernel/index.ts';
import type { EntryWithLineRow } from './queries.ts';
import type { HeadChange } from './save-heads.ts';

/**
 * An entry as it was from one place in the log until just before another, kept because a branch or a tag may see it so. Its
 * document is that of its version.
 */
type KeptRow = EntryWithLineRow & { since_seq: number; until_seq: number };

export const insertKept = {
  table: 'kept_entries',
  columns: {
    account_id: 'text',
    entry_id: 'int',
    until_seq: 'int',
    since_seq: 'int',
    branch: 'text',
    entity_path: 'text',
    key: 'text',
    version: 'int',
    seq: 'int',
    deleted: 'int',
    shared: 'int',
    agent_id: 'text',
    written_at: 'int',
    ttl_at: 'int',
    memory_type: 'text',
    is_artifact: 'int',
    pattern_refs: 'text',
    confidence: 'real',
    standing: 'text',
    standing_no: 'int',
    line_seq: 'int',
    line_no: 'int',
  },
} as const satisfies Insert;

export const updateKeptStandings: Update = {
  table: 'kept_entries',
  set: { standing: 'text' },
  by: { account_id: 'text', entry_id: 'int', until_seq: 'int' },
};

const sinceOf = ({ seq, line_seq }: EntryWithLineRow): number => Math.max(seq, line_seq ?? 0);

/**
 * What a transaction has to keep: entries that are still as the newest fork or tag of their account sees them, before it changes
 * them. Later changes need not be kept until the next fork.
 */
export class KeptEntries {
  readonly #work: Work;
  readonly #judged = new Map<EntryWithLineRow, KeptRow>();

  constructor(work: Work) {
    this.#work = work;
  }

  #isSeen(entry: EntryWithLineRow): boolean {
    return sinceOf(entry) <= this.#work.account.forked_seq;
  }

  /** Before outcomes change the row itself. */
  beforeJudged(entry: EntryWithLineRow): void {
    if (this.#isSeen(entry)) this.#judged.set(entry, keptRow(entry, 0));
  }

  /** The `seq` of an outcome about an entry; the first one counts. */
  judgedAt(entry: EntryWithLineRow, seq: number): void {
    const kept = this.#judged.get(entry);
    if (kept?.until_seq === 0) kept.until_seq = seq;
  }

  /** Sends the rows, with those of entries that are written again. */
  save(changes: readonly HeadChange[]): void {
    const work = this.#work;
    if (work.account.forked_seq === 0) return;
    const rows: KeptRow[] = [...this.#judged.values()];
    this.#judged.clear();
    for (const { before, after, replaced } of changes)
      if (before && this.#isSeen(before)) rows.push(keptRow(before, replaced?.[0]?.seq ?? after.seq));
    if (rows.length > 0) work.send(work.tx.insertMany(insertKept, rows));
  }
}

const keptRow = (before: EntryWithLineRow, until_seq: number): KeptRow => ({
  ...before,
  since_seq: sinceOf(before),
  until_seq,
});

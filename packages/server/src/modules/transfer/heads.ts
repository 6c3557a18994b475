import { Fault } from '@mem-service/contract';
import type { Work } from '../../kernel/index.ts';
import {
  contentHash,
  type Draft,
  type EntryRow,
  type EntrySet,
  findSameVersion,
  fromDocument,
  isLive,
  mayAgentSee,
} from '../entries/index.ts';
import { type Decision, decide, type Head } from './rules/decide.ts';

type Version = { written_at: number; content_hash: string };
type Known = { row: EntryRow | undefined; head: Head | undefined; added: Version[] };

const nameOf = ({ entity_path, key }: Draft) => `${entity_path}\n${key}`;

/** The entries of an import as it goes on, also where nothing is written. */
export class Heads {
  readonly #work: Work;
  readonly #set: EntrySet;
  readonly #known = new Map<string, Known>();

  constructor(work: Work, set: EntrySet) {
    this.#work = work;
    this.#set = set;
  }

  #knownOf(draft: Draft): Known {
    const name = nameOf(draft);
    let known = this.#known.get(name);
    if (!known) {
      const row = this.#set.get(draft);
      known = { row, head: row && headOf(row, this.#work.now), added: [] };
      this.#known.set(name, known);
    }
    return known;
  }

  versionOf(draft: Draft): number {
    return this.#knownOf(draft).head?.version ?? 0;
  }

  async decide(draft: Draft, onConflict: 'version' | 'skip'): Promise<Decision> {
    const { head, row, added } = this.#knownOf(draft);
    const now = this.#work.now;
    if (row && added.length === 0 && !mayAgentSee(row, draft.agent_id)) {
      if (head?.value !== undefined)
        throw new Fault('forbidden', 'this key belongs to an entry that only its author may see and change');
      // One that is gone is nobody's business: it only keeps its place in time.
      return { status: 'written', written_at: Math.max(draft.written_at ?? now, row.written_at) };
    }
    const isKnown = await this.#isKnown(draft, { row, added });
    return decide(head, { value: draft.value ?? 'null', written_at: draft.written_at, isKnown }, { onConflict, now });
  }

  /** Whether some version says it already, with the same time: then it was imported before. */
  async #isKnown({ value, written_at }: Draft, { row, added }: Omit<Known, 'head'>): Promise<boolean> {
    if (written_at === undefined || value === undefined) return false;
    const content_hash = contentHash(value);
    if (added.some((one) => one.written_at === written_at && one.content_hash === content_hash)) return true;
    if (!row || written_at > row.written_at) return false;
    const { account_id, tx } = this.#work;
    return (await findSameVersion(tx, account_id, { entry_id: row.entry_id, written_at, content_hash })) !== undefined;
  }

  wrote(draft: Draft, row: EntryRow): void {
    this.#add(draft, headOf(row, this.#work.now));
  }

  /** As if it had been written. */
  pretend(draft: Draft): void {
    const written_at = draft.written_at ?? this.#work.now;
    this.#add(draft, { version: this.versionOf(draft) + 1, written_at, value: draft.value ?? 'null' });
  }

  #add(draft: Draft, head: Head): void {
    const known = this.#knownOf(draft);
    known.head = head;
    known.added.push({ written_at: head.written_at, content_hash: contentHash(draft.value ?? 'null') });
  }
}

const headOf = (row: EntryRow, now: number): Head => ({
  version: row.version,
  written_at: row.written_at,
  value: isLive(row, now) ? fromDocument(row).value : undefined,
});

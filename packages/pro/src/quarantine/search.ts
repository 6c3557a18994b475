import {
  type Dialect,
  type EntryAddress,
  findEntriesByNumber,
  findNamedNumbers,
  MAX_QUARANTINED_ENTRIES,
  pause,
  type Query,
  type TraceFacts,
  type WrittenEvent,
} from '@mem-service/server/module';
import { MAX_DECISIONS, MAX_LOOKED_AT } from './limits.ts';
import { type Taint, Taints } from './taints.ts';

/** A session that read what it should not have, and when it first did. */
export type TaintedSession = { agent_id: string; session: string; since: number; depth: number };

export type RestingDecision = Omit<TraceFacts, 'trace_id' | 'session'> & { trace_id: string | null; depth: number };

export type TracedEntry = EntryAddress & {
  entry_id: number;
  version: number;
  agent_id: string;
  shared: number;
  deleted: number;
  seq: number;
  depth: number;
};

const NAMES_AT_ONCE = 500;

/** What a search has found, and how much it may still look at. */
export class Search {
  readonly query: Query;
  readonly dialect: Dialect;
  readonly account_id: string;
  readonly taints = new Taints();
  readonly decisions = new Map<number, RestingDecision>();
  readonly #sessions = new Map<string, number>();
  #left = MAX_LOOKED_AT;
  #isComplete = true;

  constructor({ query, dialect, account_id }: { query: Query; dialect: Dialect; account_id: string }) {
    this.query = query;
    this.dialect = dialect;
    this.account_id = account_id;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** How many rows may be read next. */
  get left(): number {
    return Math.max(this.#left, 0);
  }

  looked(rows: number): void {
    this.#left -= rows;
    if (this.#left <= 0) this.cut();
  }

  /** A bound was reached: there may be more. */
  cut(): void {
    this.#isComplete = false;
  }

  /** Whether the session was not known, or had read something earlier than was known. */
  isNewSession({ agent_id, session, since }: TaintedSession): boolean {
    const name = `${agent_id}\n${session}`;
    const known = this.#sessions.get(name);
    if (known !== undefined && known <= since) return false;
    this.#sessions.set(name, since);
    return true;
  }

  decide(decision: RestingDecision): void {
    if (this.decisions.has(decision.seq)) return;
    if (this.decisions.size >= MAX_DECISIONS) this.cut();
    else this.decisions.set(decision.seq, decision);
  }

  /** Adds the versions that events wrote. */
  async taintWritten(events: readonly WrittenEvent[], depth: number): Promise<void> {
    const written = events.flatMap(({ event_type, branch, entity_path, key, version }) =>
      event_type === 'write' && entity_path !== null && key !== null && version !== null
        ? [{ branch, entity_path, key, version }]
        : [],
    );
    for (let at = 0; at < written.length; at += NAMES_AT_ONCE) {
      const some = written.slice(at, at + NAMES_AT_ONCE);
      const numbers = await findNamedNumbers(this.query, this.account_id, some);
      for (const [i, { version, ...address }] of some.entries()) {
        const entry_id = numbers[i]?.entry_id;
        if (entry_id !== undefined) this.taint({ ...address, entry_id, version, depth });
      }
      await pause();
    }
  }

  taint(taint: Taint): void {
    if (this.taints.size >= MAX_VERSIONED) this.cut();
    else this.taints.add(taint);
  }

  /** The entries whose current version is one of those found, in the order of the log. */
  async foundEntries(): Promise<TracedEntry[]> {
    const ids = this.taints.entries;
    const found: TracedEntry[] = [];
    for (let at = 0; at < ids.length; at += NAMES_AT_ONCE) {
      const some = ids.slice(at, at + NAMES_AT_ONCE).map((entry_id) => ({ entry_id }));
      for (const head of await findEntriesByNumber(this.query, this.account_id, some)) {
        const taint = head && head.deleted !== 1 ? this.taints.of(head.entry_id, head.version) : undefined;
        if (head && taint) found.push({ ...head, depth: taint.depth });
      }
      await pause();
    }
    found.sort((a, b) => a.depth - b.depth || a.seq - b.seq);
    if (found.length > MAX_QUARANTINED_ENTRIES) this.cut();
    return found.slice(0, MAX_QUARANTINED_ENTRIES);
  }
}

/** Entries that have had a version of those found; others may have written to them since. */
const MAX_VERSIONED = 2 * MAX_QUARANTINED_ENTRIES;

import type { Query } from '../../db/index.ts';
import { MAIN_BRANCH } from '../../kernel/index.ts';
import * as queries from './queries.ts';
import { dayOf, KnownReads } from './rules/known-reads.ts';
import { AGAIN, fromPage } from './rules/page.ts';

/**
 * The limit on cached reads of all sessions together. Each session also counts as several reads, however little it read.
 */
const MAX_READS = 100_000;
const ROOM_OF_SESSION = 16;

type CachedReads = { reads: KnownReads; last_page: number; size: number };

/**
 * Caches the reads of open sessions, so that a new read need not load them. Another server may continue a session, so a
 * cached value is valid only while its last page is also the last one in the store.
 */
export class SessionReadCache {
  readonly #sessions = new Map<string, CachedReads>();
  #size = 0;
  #rewinds = 0;

  /** Drops everything where a log was set back since: its pages may have been written again, with other reads. */
  follow(rewinds: number): void {
    if (rewinds === this.#rewinds) return;
    this.#rewinds = rewinds;
    this.#sessions.clear();
    this.#size = 0;
  }

  /** Removes and returns the reads of a session; put them back once the next page is stored. */
  async take(query: Query, row: queries.SessionRow): Promise<KnownReads> {
    const known = this.#take(sessionKeyText(row));
    const reads = known?.last_page === row.last_page ? known.reads : await load(query, row);
    reads.begin(row.attempt);
    return reads;
  }

  #take(name: string): CachedReads | undefined {
    const known = this.#sessions.get(name);
    if (!known) return undefined;
    this.#sessions.delete(name);
    this.#size -= known.size;
    return known;
  }

  keep(sessions: readonly { row: queries.SessionRow; known: KnownReads }[]): void {
    for (const { row, known: reads } of sessions) {
      const name = sessionKeyText(row);
      this.#take(name);
      if (reads.size === 0) continue;
      const size = reads.size + ROOM_OF_SESSION;
      this.#sessions.set(name, { reads, last_page: row.last_page, size });
      this.#size += size;
    }
    if (this.#size > MAX_READS) this.#dropOldest();
  }

  #dropOldest(): void {
    for (const name of this.#sessions.keys()) {
      if (this.#size <= MAX_READS) return;
      this.#take(name);
    }
  }
}

const sessionKeyText = ({ account_id, agent_id, session }: queries.SessionKey) =>
  `${account_id}\n${agent_id}\n${session}`;

/** Of earlier attempts only the day of their reads counts. */
async function load(query: Query, row: queries.SessionRow): Promise<KnownReads> {
  const reads = new KnownReads(0);
  if (row.reads === 0) return reads;
  for (const page of await queries.listPages(query, row)) {
    const isAgain = page.attempt === AGAIN;
    if (!isAgain) reads.begin(page.attempt);
    const branch = page.branch ?? MAIN_BRANCH;
    for (const { entry_id, version, read_at } of fromPage(page.reads)) {
      const day = dayOf(read_at);
      reads.addOn(day, entry_id);
      if (isAgain) reads.addAgain(day);
      else reads.add({ entry_id, version, branch });
    }
  }
  return reads;
}

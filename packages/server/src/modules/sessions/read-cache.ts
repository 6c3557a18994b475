import type { Query } from '../../db/index.ts';
import * as queries from './queries.ts';
import { KnownReads } from './rules/known-reads.ts';
import { fromPage } from './rules/page.ts';

/** As many reads as are remembered of all sessions together. A session takes the room of some, however little it read. */
const MAX_READS = 100_000;
const ROOM_OF_SESSION = 16;

type CachedReads = { reads: KnownReads; last_page: number; size: number };

/**
 * What the sessions that are going on have read, so that it need not be read back for each read. Another server may go on
 * with a session: what is remembered holds as long as its last page in the store is the one it ends with.
 */
export class SessionReadCache {
  readonly #sessions = new Map<string, CachedReads>();
  #size = 0;

  /** It has to be kept again, once what comes next is in the store. */
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

/** Of earlier tries only the entries count. */
async function load(query: Query, row: queries.SessionRow): Promise<KnownReads> {
  const reads = new KnownReads(0);
  if (row.reads === 0) return reads;
  for (const page of await queries.listPages(query, row)) {
    reads.begin(page.attempt);
    for (const { entry_id, version } of fromPage(page.reads)) reads.add(entry_id, version);
  }
  return reads;
}

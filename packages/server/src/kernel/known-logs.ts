import type { Database, Query } from '../db/index.ts';
import { readPosition } from './event-queries.ts';
import { isEventAt, isSamePosition, type LogPosition } from './log-position.ts';

const MAX_ACCOUNTS = 10_000;

/** `lost`: how many connections had been lost when the position was known to be in the log. */
type KnownPosition = LogPosition & { lost: number };

export type RewindListener = (accountId: string) => void;

/**
 * Where the logs of accounts ended after the last commits of this process. A log that no longer has that place was set back,
 * and what the process keeps in memory about the account may be about events that never happened.
 */
export class KnownLogs {
  readonly #database: Pick<Database, 'lostConnections'>;
  readonly #known = new Map<string, KnownPosition>();
  readonly #listeners = new Set<RewindListener>();
  #rewinds = 0;

  constructor(database: Pick<Database, 'lostConnections'>) {
    this.#database = database;
  }

  /** How often a log was found to be set back. */
  get rewinds(): number {
    return this.#rewinds;
  }

  onRewind(listener: RewindListener): void {
    this.#listeners.add(listener);
  }

  committed(accountId: string, { seq, stamp }: LogPosition): void {
    this.#known.delete(accountId);
    this.#known.set(accountId, { seq, stamp, lost: this.#database.lostConnections });
    if (this.#known.size > MAX_ACCOUNTS) this.#known.delete(this.#known.keys().next().value as string);
  }

  /**
   * Called when the account is locked, with where its log ends. Most of the time that says enough. Only where other servers
   * have written since, and a connection was lost, the known place is looked up.
   */
  check(query: Query, accountId: string, end: LogPosition): Promise<void> | undefined {
    const known = this.#known.get(accountId);
    if (!known || isSamePosition(known, end)) return undefined;
    if (end.seq <= known.seq) this.#rewound(accountId);
    else if (known.lost !== this.#database.lostConnections) return this.#lookUp(query, accountId, known);
    return undefined;
  }

  async #lookUp(query: Query, accountId: string, known: KnownPosition): Promise<void> {
    const { lostConnections: lost } = this.#database;
    if (isEventAt(await readPosition(query, accountId, known.seq), known)) known.lost = lost;
    else this.#rewound(accountId);
  }

  #rewound(accountId: string): void {
    this.#known.delete(accountId);
    this.#rewinds++;
    for (const listener of this.#listeners) listener(accountId);
  }
}

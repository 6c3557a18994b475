import { Fault, type Operation, type OperationName, operations } from '@mem-service/contract';
import type { Database } from '../../db/index.ts';
import type { Caller } from '../caller.ts';
import { SeqWaits } from './seq-waits.ts';

/** Sends something to a server that writes, which stores it. Rejects while that cannot be reached. */
export type HandOver = <T>(kind: string, item: unknown) => Promise<T>;

/** The link to a server that writes. */
export type PrimaryLink = {
  hand: HandOver;
  /** The same for a question that is answered when there is something to say. */
  ask: HandOver;
  close(): Promise<void>;
};

/** What a server that only reads keeps in memory until a server that writes has it. */
export const UNNOTED = ['notes', 'recalls', 'requests', 'ops', 'key_uses'] as const;
export type Unnoted = (typeof UNNOTED)[number];

export type ReplicaOptions = {
  database: Database;
  /** The address that errors name. */
  primary?: string | undefined;
  link?: PrimaryLink | undefined;
  /** How long a read waits for a `seq`. */
  waitMs: number;
  onWarning: (warning: string) => void;
};

const UNKNOWN: Partial<Pick<Operation, 'effect' | 'http'>> = {};

/** A server that only reads: its database is a standby, or is used like one. */
export class Replica {
  readonly primary: string | undefined;
  /** Undefined where no server takes what this one notes. */
  readonly link: PrimaryLink | undefined;
  readonly #seqs: SeqWaits;
  readonly #missed = new Map<Unnoted, number>();
  readonly #onWarning: (warning: string) => void;

  constructor({ database, primary, link, waitMs, onWarning }: ReplicaOptions) {
    this.primary = primary;
    this.link = link;
    this.#onWarning = onWarning;
    this.#seqs = new SeqWaits({ database, waitMs, behind: (place) => this.#behind(place) });
  }

  /** Refuses what would write. */
  refuseWrite(name: OperationName): void {
    const { effect, http } = (operations[name] as Operation | undefined) ?? UNKNOWN;
    if (effect === 'write' || (effect === 'control' && http?.method !== 'GET')) throw this.refusal();
  }

  /** Waits until the database has what the caller asks for. A standby does not go back: a second call does not wait. */
  waitForSeq(name: OperationName, caller: Caller): Promise<void> | undefined {
    const { account_id, min_seq } = caller;
    if (min_seq === undefined || operations[name]?.effect !== 'read') return undefined;
    return this.#seqs.reached(account_id, min_seq).then(() => {
      caller.min_seq = undefined;
    });
  }

  /** Has the line of an audited read written; without it there is no answer. */
  async audit(line: unknown): Promise<void> {
    const { link } = this;
    if (!link) throw this.refusal('this read is audited, which a server that only reads cannot do');
    try {
      await link.hand('audit', line);
    } catch (error) {
      const message = 'this read is audited by the server that writes, which did not take the line; try again';
      const fault = new Fault('unavailable', message, { retry_after: 1 });
      fault.cause = error;
      throw fault;
    }
  }

  refusal(why = 'this server only reads'): Fault {
    const { primary } = this;
    return primary === undefined
      ? new Fault('read_only', `${why}: send it to a server that writes`)
      : new Fault('read_only', `${why}: send it to ${primary}`, { primary });
  }

  #behind({ seq, min_seq }: { seq: number; min_seq: number }): Fault {
    const { primary } = this;
    const where = primary === undefined ? 'a server that writes' : primary;
    const message = `this server has the log up to ${seq}, not yet ${min_seq}: try again, or read from ${where}`;
    return new Fault('replica_behind', message, {
      retry_after: 1,
      seq,
      min_seq,
      ...(primary === undefined ? {} : { primary }),
    });
  }

  /** Counts what nobody will store. The first of each kind is reported. */
  miss(what: Unnoted, count: number): void {
    if (count <= 0) return;
    const before = this.#missed.get(what);
    this.#missed.set(what, (before ?? 0) + count);
    if (before !== undefined) return;
    const why = this.link ? 'the server at MEM_PRIMARY_URL did not take them' : 'MEM_PRIMARY_URL names no server';
    this.#onWarning(`${what.replace('_', ' ')} of this server are not stored: ${why} (mem_replica_unnoted_total)`);
  }

  /** By kind, what was not stored since the start. */
  get missed(): Record<Unnoted, number> {
    return Object.fromEntries(UNNOTED.map((what) => [what, this.#missed.get(what) ?? 0])) as Record<Unnoted, number>;
  }
}

import type { Dialect, Row, Transaction } from '../db/index.ts';
import { accountGone } from './account-gone.ts';
import { activityOf } from './agent-activity.ts';
import { answerRows, type KeptAnswer } from './answer-names.ts';
import { type AuditRow, auditRow, chainAudit, type Subject } from './audit.ts';
import { type Caller, SELF_CALLER } from './caller.ts';
import { toIso } from './clock.ts';
import type { LogPosition } from './log-position.ts';
import type { Charge } from './metering.ts';
import type { Services } from './module.ts';
import type { OwnerStorage } from './owner-storage.ts';
import { isSameAmount, NOTHING_STORED, type StoredAmounts, storedIn } from './plan-bounds.ts';
import * as queries from './queries.ts';
import { MAIN_BRANCH } from './view.ts';

/** The value of `visible_to` for everyone; otherwise it is the one agent that may see the row. */
export const EVERYONE = '';
/** The value of `visible_to` for no agent: changes by admins are in the log, but only the audit trail shows them. */
export const ADMINS = '\u001fadmins';

/** More than the clocks of servers on one database may differ. */
const MAX_AHEAD_MS = 60_000;

export type LogEvent = {
  account_id: string;
  seq: number;
  /** Random; distinguishes this event from another with the same `seq`, where the log was set back in between. */
  stamp: number;
  event_type: string;
  agent_id: string;
  branch: string;
  entity_path: string | null;
  key: string | null;
  version: number | null;
  visible_to: string;
  /** JSON of everything that has no column. */
  details: string;
  created_at: number;
  /** The internal name of the session; empty where there is none. */
  session: string;
  /** The agent that acted, where it is not the agent whose timeline shows the event. */
  actor_agent_id: string | null;
};

export type NewEvent = Omit<
  LogEvent,
  'account_id' | 'seq' | 'stamp' | 'created_at' | 'details' | 'session' | 'actor_agent_id'
> & {
  details: Record<string, unknown>;
  session?: string | undefined;
  actor_agent_id?: string | undefined;
};

type WorkMark = {
  seq: number;
  seq_stamp: number;
  audit_no: number;
  item_no: number;
  events: number;
  audits: number;
  answers: number;
  charges: number;
  stored: StoredAmounts;
  forked_seq: number;
};

export type WorkAccount = { account_id: string; row?: Promise<queries.AccountRow | undefined> };

/** The writes of one account within one transaction: its counters, and the rows to append at the end. */
export class Work {
  readonly account_id: string;
  readonly tx: Transaction;
  readonly dialect: Dialect;
  readonly services: Services;
  readonly events: LogEvent[] = [];
  /** Branches that only merges write to. */
  readonly protectedBranches = new Set<string>();
  /** Of a room, where plans have bounds: whose plan bounds it, and what else counts. */
  owner: OwnerStorage | undefined;
  /** Resolves once the account is locked. Reads sent before that already see it as locked. */
  readonly locked: Promise<void>;
  readonly #audits: AuditRow[] = [];
  readonly #answers: KeptAnswer[] = [];
  readonly #charges: Charge[] = [];
  readonly #after: (() => void)[] = [];
  #pending: Promise<unknown>[] = [];
  #account: queries.AccountRow | undefined;
  /** Where the log ended before this transaction. */
  #start: LogPosition = { seq: 0, stamp: 0 };
  #firstItemNo = 0;
  #firstStored: StoredAmounts = NOTHING_STORED;
  /** The time of the last change before this transaction. */
  #latest = 0;
  #isSetBack = false;

  /** Locks the account, unless its row is being locked already. */
  constructor(services: Services, tx: Transaction, { account_id, row }: WorkAccount) {
    this.account_id = account_id;
    this.tx = tx;
    this.services = services;
    this.dialect = services.database.dialect;
    this.locked = this.#lock(row);
    this.locked.catch(() => {});
  }

  async #lock(row: WorkAccount['row']): Promise<void> {
    this.tx.enter(this.account_id);
    this.#account = await (row ?? queries.lockAccount(this.tx, this.dialect, this.account_id));
    if (!this.#account || this.#account.deleted_at !== null) throw accountGone(this.account_id);
    if (this.#account.main_protected === 1) this.protectedBranches.add(MAIN_BRANCH);
    this.#start = this.position;
    const checking = this.services.knownLogs.check(this.tx, this.account_id, this.#start);
    if (checking !== undefined) await checking;
    this.#firstItemNo = this.#account.item_no;
    this.#firstStored = storedIn(this.#account);
    // Times do not run backwards within an account, so that a time identifies a position in its log. A clock that was far
    // ahead must not hold them for ever: then the log says that it was corrected.
    const now = this.services.clock.now();
    this.#latest = this.#account.last_at;
    this.#isSetBack = this.#latest - now > MAX_AHEAD_MS;
    if (now > this.#latest || this.#isSetBack) this.#account.last_at = now;
  }

  get account(): queries.AccountRow {
    if (!this.#account) throw new Error('the account is not locked yet');
    return this.#account;
  }

  get start(): LogPosition {
    return this.#start;
  }

  /** Where the log ends now. */
  get position(): LogPosition {
    return { seq: this.account.seq, stamp: this.account.seq_stamp };
  }

  get now(): number {
    return this.account.last_at;
  }

  /** Appends to the log of the account. The event takes the next `seq`. */
  emit(event: NewEvent): number {
    if (this.#isSetBack && this.events.length === 0) this.#append(this.#correction());
    return this.#append(event);
  }

  #correction(): NewEvent {
    const place = { branch: MAIN_BRANCH, entity_path: null, key: null, version: null };
    const details = { from: toIso(this.#latest), to: toIso(this.now) };
    const { agent_id } = SELF_CALLER;
    return { event_type: queries.CLOCK_CORRECTED, agent_id, visible_to: EVERYONE, details, ...place };
  }

  #append(event: NewEvent): number {
    const { event_type, agent_id, branch, entity_path, key, version, visible_to, details } = event;
    const { session = '', actor_agent_id = null } = event;
    const seq = ++this.account.seq;
    const stamp = this.services.ids.stamp();
    this.account.seq_stamp = stamp;
    const { account_id, now: created_at } = this;
    this.events.push({
      account_id,
      seq,
      stamp,
      event_type,
      agent_id,
      branch,
      entity_path,
      key,
      version,
      visible_to,
      details: JSON.stringify(details),
      created_at,
      session,
      actor_agent_id,
    });
    return seq;
  }

  /** The next number for a note of a session. */
  nextItem(): number {
    return ++this.account.item_no;
  }

  audit(caller: Caller, action: string, subject: Subject): void {
    const place = { account_id: this.account_id, no: ++this.account.audit_no, at: this.now };
    this.#audits.push(auditRow(caller, { action, subject, place }));
  }

  /** Keeps an answer for retries. */
  storeAnswer(answer: KeptAnswer): void {
    this.#answers.push(answer);
  }

  /** Charges ops to the account within this transaction. */
  charge(charge: Charge): void {
    this.#charges.push(charge);
  }

  get charges(): readonly Charge[] {
    return this.#charges;
  }

  /** Runs after the commit. */
  afterCommit(run: () => void): void {
    this.#after.push(run);
  }

  /** Called after the commit. */
  committed(): void {
    if (this.events.length > 0) this.services.knownLogs.committed(this.account_id, this.position);
    for (const run of this.#after) run();
  }

  /** Sends a statement whose result is not needed; `waitForSent` waits for it. */
  send(statement: Promise<unknown>): void {
    statement.catch(() => {});
    this.#pending.push(statement);
  }

  async waitForSent(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    await Promise.all(pending);
  }

  mark(): WorkMark {
    const { seq, seq_stamp, audit_no, item_no, forked_seq } = this.account;
    return {
      seq,
      seq_stamp,
      audit_no,
      item_no,
      events: this.events.length,
      audits: this.#audits.length,
      answers: this.#answers.length,
      charges: this.#charges.length,
      stored: storedIn(this.account),
      forked_seq,
    };
  }

  /** Drops everything collected since the mark. */
  reset(mark: WorkMark): void {
    const { seq, seq_stamp, audit_no, item_no, forked_seq } = mark;
    Object.assign(this.account, { seq, seq_stamp, audit_no, item_no, forked_seq });
    this.events.length = mark.events;
    this.#audits.length = mark.audits;
    this.#answers.length = mark.answers;
    this.#charges.length = mark.charges;
    Object.assign(this.account, mark.stored);
    this.#pending = [];
  }

  #chained(): Row[] {
    return this.#audits.map((row) => {
      this.account.audit_hash = chainAudit(this.account.audit_hash, row);
      row.hash = this.account.audit_hash;
      return row;
    });
  }

  #sendAnswers(): void {
    const { answers, names } = answerRows(this.#answers, this);
    this.send(this.tx.insertMany(queries.insertStoredAnswers, answers));
    if (names.length > 0) this.send(this.tx.insertMany(queries.insertAnswerNames, names));
  }

  /** Writes everything collected. Must be the last step of the transaction. */
  async flush(): Promise<void> {
    await this.locked;
    const { tx } = this;
    if (this.events.length > 0) {
      this.send(tx.insertMany(queries.insertEvents, this.events));
      const active = activityOf(this.events);
      if (active.length > 0) this.send(tx.insertMany(queries.touchAgents, active));
    }
    if (this.#audits.length > 0) this.send(tx.insertMany(queries.insertAudit, this.#chained()));
    if (this.#answers.length > 0) this.#sendAnswers();
    const isCounted = this.account.item_no !== this.#firstItemNo || !isSameAmount(this.account, this.#firstStored);
    if (this.events.length + this.#audits.length > 0 || isCounted) {
      // Without an event to mark it, the correction waits for the next transaction.
      const last_at = this.#isSetBack && this.events.length === 0 ? this.#latest : this.now;
      this.send(tx.updateMany(queries.advanceAccounts, [{ ...this.account, last_at }]));
    }
    if (this.#charges.length > 0) this.services.meter?.write(this, this.#charges);
    await this.waitForSent();
  }
}

import type { Fault, Input, LinesName, OperationName, Output, Request, StreamName } from '@mem-service/contract';
import type { Database, Dialect, Migration, Query } from '../db/index.ts';
import type { Activity, DayTally } from './activity.ts';
import type { Caller } from './caller.ts';
import type { Clock } from './clock.ts';
import type { Consumer, Consumers } from './consumers/index.ts';
import type { AgentEraser, EntryEraser, Erasers } from './erasure.ts';
import type { Feed } from './feed.ts';
import type { FollowRequest, Subscription } from './follower.ts';
import type { Hooks } from './hooks.ts';
import type { Ids } from './ids.ts';
import type { KeyRing } from './key-ring.ts';
import type { Maintenance, MaintenanceTask, ProcessTimer } from './maintenance/index.ts';
import type { Meter, RateLimiter } from './metering.ts';
import type { AccountNotes, Note, NoteBuffer } from './note-buffer.ts';
import type { NotesGaps } from './notes-gap.ts';
import type { Projection } from './projection.ts';
import type { WriteResult } from './result.ts';
import type { Settings } from './settings.ts';
import type { SharedTable, TenantTable, WordIndex } from './tables.ts';
import type { Usage } from './usage.ts';
import type { EntryView, Lineage } from './view.ts';
import type { Work } from './work.ts';

export type Limits = {
  max_value_bytes: number;
  /** How many entries a filtered list or search looks at before it ends early. */
  max_scanned_entries: number;
  /** How much may wait for a transaction before writes are refused for a while. */
  max_waiting_writes?: number;
  max_waiting_chars?: number;
};

/** What the whole service shares. */
export type Services = {
  database: Database;
  clock: Clock;
  ids: Ids;
  /** Of this process, to others on the same store. */
  server_id: string;
  limits: Limits;
  version: string;
  schema: number;
  noteBuffer: NoteBuffer;
  settings: Settings;
  keys: KeyRing;
  /** Of a hosted service. */
  meter?: Meter | undefined;
  limiter?: RateLimiter | undefined;
  activity: Activity;
  consumers: Consumers;
  maintenance: Maintenance;
  /** Every table that holds what belongs to accounts, in the order in which an export tells of them. */
  tables: readonly TenantTable[];
  wordIndexes: readonly WordIndex[];
  /** What follows entries in the same transaction, in the order of the modules that bring it. */
  projections: readonly Projection[];
  erasers: Erasers;
};

export type ReadContext = {
  caller: Caller;
  now: number;
  read: Query;
  scan: Query;
  /** The entries that this request may see. */
  view: EntryView;
  dialect: Dialect;
  services: Services;
  /** Notes what the caller was shown, for its session. */
  note(sighting: Note): void;
  /** What may be missing of the notes that the operation needs. */
  gaps?: NotesGaps | undefined;
  /** Milliseconds since the request came in. */
  elapsed(): number;
};

/** For what is done over all accounts. */
export type ControlContext = {
  caller: Caller;
  services: Services;
  /** Work on one account: its transaction, log and audit. */
  work<T>(accountId: string, run: (work: Work) => Promise<WriteResult<T>>): Promise<T>;
};

export type WriteItem<N extends OperationName> = {
  caller: Caller;
  input: Input<N>;
  /** Of the branch that the input names; a write goes to the first branch in it. */
  lineage: Lineage;
  /** What may be missing of the notes that the operation needs. */
  gaps?: NotesGaps | undefined;
};

type HandlerOptions<N extends OperationName> = {
  exclusive?: boolean;
  unaudited?: boolean;
  /** Of a read that is audited. */
  resourceOf?: (input: Input<N>) => string;
};

/**
 * A handler reads, or writes one at a time, or takes all writes that arrived together, or says what is to be followed,
 * or tells line after line.
 */
export type Handler<N extends OperationName> = HandlerOptions<N> &
  (
    | { kind: 'read'; run: (context: ReadContext, input: Input<N>) => Promise<Output<N>> }
    | { kind: 'write'; run: (work: Work, item: WriteItem<N>) => Promise<WriteResult<Output<N>>> }
    | { kind: 'set'; run: (work: Work, items: readonly WriteItem<N>[]) => Promise<(WriteResult<Output<N>> | Fault)[]> }
    | { kind: 'stream'; run: (context: ReadContext, input: Input<N>) => FollowRequest }
    | { kind: 'control'; run: (context: ControlContext, input: Input<N>) => Promise<Output<N>> }
    | { kind: 'lines'; run: (context: ReadContext, input: Input<N>) => Lines }
  );

/** JSON texts without line breaks. Who stops early says so with `return`, so that what is held for them is let go. */
export type Lines = AsyncGenerator<string, void, undefined>;

export type Handlers = { [N in OperationName]?: Handler<N> };

export type Kernel = {
  readonly services: Services;
  readonly feed: Feed;
  readonly usage: Usage;
  /** The one door: every transport and every worker comes through here. */
  invoke<N extends OperationName>(name: N, input: Request<N> | unknown, caller: Caller): Promise<Output<N>>;
  /** The same door for what is followed: the same checks, and then a place in the log instead of an answer. */
  open(name: StreamName, input: unknown, caller: Caller): Promise<Subscription>;
  /** The same door for what is told in lines. */
  list(name: LinesName, input: unknown, caller: Caller): Promise<Lines>;
  /** For the service's own work on an account: the same transaction, log and audit, but no operation of the table. */
  work<T>(caller: Caller, action: string, run: (work: Work) => Promise<WriteResult<T>>): Promise<T>;
  readonly queued: number;
  /** How many follow a log at the moment. */
  readonly following: number;
  close(): Promise<void>;
};

export type Module = {
  name: string;
  migrations: readonly Migration[];
  /** What the migrations make, as far as it belongs to accounts. */
  tables?: readonly TenantTable[];
  sharedTables?: readonly SharedTable[];
  wordIndexes?: readonly WordIndex[];
  /** What it keeps in step with the entries. */
  projections?: readonly Projection[];
  /** Takes erased entries out of its tables. */
  erasesEntries?: EntryEraser;
  /** Takes an erased agent out of its tables, where their declarations cannot say how. */
  erasesAgent?: AgentEraser;
  handlers: Handlers;
  /** Where it takes part in requests to other modules. Made once for each kernel, so that they may remember things. */
  hooks?: () => Hooks;
  /** What follows the log, from a cursor in the store. */
  consumers?: readonly Consumer[];
  /** What is done over the whole store now and then, by one server for all. */
  maintenance?: readonly MaintenanceTask[];
  /** What is about the memory of each process. */
  timers?: readonly ProcessTimer[];
  /** Makes what keeps what callers saw. One module does. */
  recorder?: () => NoteRecorder;
  /** Keeps how much accounts are used. One module does. */
  saveActivity?: () => (work: Work, tally: DayTally) => Promise<void>;
};

/** Writes what was seen. Gives back what is to be called once that is in the store. */
export type NoteRecorder = (work: Work, notes: AccountNotes) => Promise<() => void>;

export const reads = <N extends OperationName>(
  run: (context: ReadContext, input: Input<N>) => Promise<Output<N>>,
): Handler<N> => ({ kind: 'read', run });

/** Shares its transaction with no other write: all of them are in the store when it runs. */
export const exclusive = <N extends OperationName>(handler: Handler<N>): Handler<N> => ({
  ...handler,
  exclusive: true,
});

/** Leaves no line in the audit trail: for what must not add to the account it is about. */
export const unaudited = <N extends OperationName>(handler: Handler<N>): Handler<N> => ({
  ...handler,
  unaudited: true,
});

/** A read that is audited: what its line in the trail says it looked at. */
export const looksAt = <N extends OperationName>(
  resourceOf: (input: Input<N>) => string,
  handler: Handler<N>,
): Handler<N> => ({ ...handler, resourceOf });

export const lists = <N extends LinesName>(run: (context: ReadContext, input: Input<N>) => Lines): Handler<N> => ({
  kind: 'lines',
  run,
});

export const follows = <N extends StreamName>(
  run: (context: ReadContext, input: Input<N>) => FollowRequest,
): Handler<N> => ({
  kind: 'stream',
  run,
});

export const writes = <N extends OperationName>(
  run: (work: Work, item: WriteItem<N>) => Promise<WriteResult<Output<N>>>,
): Handler<N> => ({ kind: 'write', run });

export const controls = <N extends OperationName>(
  run: (context: ControlContext, input: Input<N>) => Promise<Output<N>>,
): Handler<N> => ({ kind: 'control', run });

export const writesTogether = <N extends OperationName>(
  run: (work: Work, items: readonly WriteItem<N>[]) => Promise<(WriteResult<Output<N>> | Fault)[]>,
): Handler<N> => ({ kind: 'set', run });

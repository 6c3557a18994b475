import type { Fault, Input, LinesName, OperationName, Output, Request, StreamName } from '@mem-service/contract';
import type { AccountReads, Database, Dialect, Migration } from '../db/index.ts';
import type { Activity, DayTally } from './activity.ts';
import type { BranchAccess } from './branch-access.ts';
import type { Caller } from './caller.ts';
import type { Clock } from './clock.ts';
import type { Consumer, Consumers } from './consumers/index.ts';
import type { DefaultBranches } from './default-branch.ts';
import type { AgentEraser, EntryEraser, Erasers } from './erasers.ts';
import type { Feed } from './feed.ts';
import type { FollowRequest, Subscription } from './follower.ts';
import type { Hooks } from './hooks.ts';
import type { Ids } from './ids.ts';
import type { FindMember } from './key-member.ts';
import type { KeyRing } from './key-ring.ts';
import type { KnownLogs } from './known-logs.ts';
import type { Maintenance, MaintenanceTask, ProcessTimer } from './maintenance/index.ts';
import type { Meter, RateLimiter } from './metering.ts';
import type { AccountNotes, Note, NoteBuffer } from './note-buffer.ts';
import type { NotesGaps } from './notes-gap.ts';
import type { PlanBounds } from './plan-bounds.ts';
import type { Projection, TraceFollower } from './projection.ts';
import type { Replica, TakeHanded } from './replica/index.ts';
import type { WriteResult } from './result.ts';
import type { RoomOwners } from './room-owners.ts';
import type { Settings } from './settings.ts';
import type { SharedTable, TenantTable, WordIndex } from './tables.ts';
import type { Usage } from './usage.ts';
import type { EntryView, Lineage } from './view.ts';
import type { Work } from './work.ts';

export type Limits = {
  max_value_bytes: number;
  /** How many entries a filtered list or search looks at before it ends early. */
  max_scanned_entries: number;
  /** How many bytes of documents a search without an index reads before it ends early. */
  max_scanned_bytes?: number;
  /** At paths with no more entries than this, a search reads these one by one. */
  max_few_entries?: number;
  /** Versions that a branch shows beside the index of words, with which it is not scanned. */
  max_overlaid_entries?: number;
  /** How many matches a search for common words looks at, at whatever paths, before it reads those at its own. */
  max_looked_at_matches?: number;
  /** How many bytes of documents one page may have; it has at least one item. */
  max_page_bytes?: number;
  /** How many writes may wait for a transaction before new ones are refused. */
  max_waiting_writes?: number;
  max_waiting_chars?: number;
  /** How many reads and queries of sessions that recorded nothing an account keeps. */
  max_reader_notes?: number;
  /** How many bytes of records a session may hold. */
  max_session_bytes?: number;
  /** How many digests an account keeps. */
  max_digests?: number;
  /** How many entries an erasure removes with one statement. */
  max_erased_at_once?: number;
  /** How many undecided proposals of a consolidation an account keeps that everyone may see. */
  max_pending_proposals?: number;
  /** How many golden queries an account keeps that everyone may see. */
  max_golden_queries?: number;
  /** How many entries a question is compared with one by one; more are looked up in an index first. */
  max_compared_entries?: number;
};

/** Shared by the whole service. */
export type Services = {
  database: Database;
  clock: Clock;
  ids: Ids;
  /** Identifies this process to other servers on the same store. */
  server_id: string;
  limits: Limits;
  version: string;
  schema: number;
  /** Modules that are not installed, but have tables in the store. */
  absent_modules: readonly string[];
  noteBuffer: NoteBuffer;
  knownLogs: KnownLogs;
  settings: Settings;
  keys: KeyRing;
  branchAccess: BranchAccess;
  defaultBranches: DefaultBranches;
  /** How many streams of each account this process serves. */
  openStreams: Map<string, number>;
  /** How often this process asked models outside the service, by what for and how it ended. */
  modelCalls: Map<string, number>;
  /** Warnings for the operator, in the log. */
  onWarning: (warning: string) => void;
  /** What a plan allows. Present in a hosted service only. */
  boundsOf?: ((plan: string | null) => PlanBounds) | undefined;
  /** What bounds rooms. Present in a hosted service only. */
  roomOwners?: RoomOwners | undefined;
  /** Present in a hosted service only. */
  meter?: Meter | undefined;
  limiter?: RateLimiter | undefined;
  /** Present on a server that only reads. */
  replica?: Replica | undefined;
  activity: Activity;
  consumers: Consumers;
  maintenance: Maintenance;
  /** Every table with rows of accounts, in the order of an export. */
  tables: readonly TenantTable[];
  wordIndexes: readonly WordIndex[];
  /** All projections, in the order of the modules that declare them. */
  projections: readonly Projection[];
  erasers: Erasers;
  followsTraces: readonly TraceFollower[];
  followsLeavers: readonly LeaverFollower[];
  leavesShared: readonly AccountLeaver[];
  /** Present where a module has teams. */
  findMember?: FindMember | undefined;
};

export type ReadContext = AccountReads & {
  caller: Caller;
  now: number;
  /** The entries that this request may see. */
  view: EntryView;
  dialect: Dialect;
  services: Services;
  /** Notes what the caller was shown, for its session. */
  note(sighting: Note): void;
  /** Notes that may be missing among those the operation needs. */
  gaps?: NotesGaps | undefined;
  /** Milliseconds since the request arrived. */
  elapsed(): number;
};

/** The context of an operation over all accounts. */
export type ControlContext = {
  caller: Caller;
  services: Services;
  /** Runs work on one account, with its transaction, log and audit; as another caller where one is given. */
  work<T>(accountId: string, run: (work: Work) => Promise<WriteResult<T>>, as?: Caller): Promise<T>;
};

export type WriteItem<N extends OperationName> = {
  caller: Caller;
  input: Input<N>;
  /** The lineage of the branch that the input names; a write goes to its first branch. */
  lineage: Lineage;
  /** Notes that may be missing among those the operation needs. */
  gaps?: NotesGaps | undefined;
  /** What the handler's `prepare` returned. */
  prepared?: unknown;
};

export type HandlerOptions<N extends OperationName> = {
  exclusive?: boolean;
  unaudited?: boolean;
  /** The resource in the audit line, for a read that is audited. */
  resourceOf?: (input: Input<N>) => string;
  /**
   * Does what is costly before its transaction begins, in turns with other requests. What it returns is
   * the item's `prepared`; undefined where there is nothing to prepare.
   */
  prepare?: (services: Services, input: Input<N>, caller: Caller) => Promise<unknown> | undefined;
  /** Whether it will change so much that its transaction is better one of its own, off the main thread. */
  isLarge?: (services: Services, input: Input<N>, caller: Caller) => Promise<boolean> | undefined;
};

/**
 * A handler reads, writes one request at a time, writes all requests that arrived together, opens a subscription, or
 * returns lines.
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

/** JSON texts without line breaks. A consumer that stops early calls `return`, which releases the resources. */
export type Lines = AsyncGenerator<string, void, undefined>;

export type Handlers = { [N in OperationName]?: Handler<N> };

export type Kernel = {
  readonly services: Services;
  readonly feed: Feed;
  readonly usage: Usage;
  /** Whether a module that is installed has the operation. */
  serves(name: OperationName): boolean;
  /** Runs an operation. Every transport and every worker calls it. */
  invoke<N extends OperationName>(name: N, input: Request<N> | unknown, caller: Caller): Promise<Output<N>>;
  /**
   * On a server that only reads: waits until it has what the caller asks for; undefined where there is nothing to wait for.
   * `invoke` does it too; a transport that takes room for an answer does it before.
   */
  waitForSeq(name: OperationName, caller: Caller): Promise<void> | undefined;
  /** Runs an operation that opens a subscription, with the same checks as `invoke`. */
  open(name: StreamName, input: unknown, caller: Caller): Promise<Subscription>;
  /** Runs an operation that returns lines, with the same checks as `invoke`. */
  list(name: LinesName, input: unknown, caller: Caller): Promise<Lines>;
  /** For the service's own work on an account: the same transaction, log and audit, but no operation. */
  work<T>(caller: Caller, action: string, run: (work: Work) => Promise<WriteResult<T>>): Promise<T>;
  /** The same in a transaction of its own, as `exclusive` gives one to an operation. */
  workExclusively<T>(caller: Caller, action: string, run: (work: Work) => Promise<WriteResult<T>>): Promise<T>;
  /** The same off the main thread, where there is one: for thousands of rows. */
  longWork<T>(caller: Caller, action: string, run: (work: Work) => Promise<WriteResult<T>>): Promise<T>;
  /** Stores what a server that only reads hands over. */
  receive(kind: string, item: unknown): Promise<unknown>;
  /** Called before a transport stops: questions of servers that only read are answered. */
  leaveReplicas(): void;
  readonly queued: number;
  /** A transport calls it for each new connection. */
  connectionAccepted(): void;
  /** The number of open subscriptions. */
  readonly following: number;
  close(): Promise<void>;
};

export type Module = {
  name: string;
  migrations: readonly Migration[];
  /** The tables with rows of accounts that the migrations create. */
  tables?: readonly TenantTable[];
  sharedTables?: readonly SharedTable[];
  wordIndexes?: readonly WordIndex[];
  /** Tables that it keeps in step with the entries. */
  projections?: readonly Projection[];
  /** Removes erased entries from its tables. */
  erasesEntries?: EntryEraser;
  /** Removes an erased agent from its tables, where their declarations do not suffice. */
  erasesAgent?: AgentEraser;
  /** Called after traces were removed for their age, or lost their payloads, in the same transaction. */
  followsTraces?: TraceFollower;
  /** Called after agents left a room, in the same transaction. */
  followsLeavers?: LeaverFollower;
  /** Ends the part that a deleted account has in what it shares with others, before its rows are deleted. */
  leavesShared?: AccountLeaver;
  handlers: Handlers;
  /** Finds the members of teams, to whom keys may belong. At most one module has it. */
  findMember?: FindMember;
  /** Takes part in requests to other modules. Called once per kernel, so that hooks may hold state. */
  hooks?: () => Hooks;
  /** Follow the log, each from a cursor in the store. */
  consumers?: readonly Consumer[];
  /** Periodic tasks over the whole store, each run by one server for all. */
  maintenance?: readonly MaintenanceTask[];
  /** Periodic tasks on the memory of each process. */
  timers?: readonly ProcessTimer[];
  /** Starts what runs in every process on a store until it is closed. */
  starts?: (kernel: Kernel, onError: (error: unknown) => void) => StoreCompanion | undefined;
  /** By kind, what it stores of what servers that only read hand over. */
  takesOver?: Readonly<Record<string, TakeHanded>>;
  /** Creates the recorder of notes. Exactly one module has it. */
  recorder?: () => NoteRecorder;
  /** Creates the function that saves the activity of accounts. Exactly one module has it. */
  saveActivity?: () => (work: Work, tally: DayTally) => Promise<void>;
};

/**
 * Called once an account has ended, and again after a stop in between, so it must be repeatable. Its steps are short, each a
 * transaction of its own; between them it checks `isStopping`.
 */
export type AccountLeaver = (kernel: Kernel, accountId: string, isStopping: () => boolean) => Promise<void>;

/** Takes note of the agents that left a room, by the names that it has for them. */
export type LeaverFollower = (work: Work, hasLeft: (agentId: string) => boolean) => Promise<void>;

/** Work that a module does beside requests for as long as a store is open. */
export type StoreCompanion = {
  /** Resolves when nothing that was begun is left to do. */
  drain(): Promise<void>;
  close(): Promise<void>;
};

/** Writes notes. Returns a function to call once they are committed. */
export type NoteRecorder = (work: Work, notes: AccountNotes) => Promise<() => void>;

import type { z } from 'zod';
import type { FaultCode } from './faults.ts';

/**
 * How an operation affects the account. `none` is for information about the service itself; `control` is for the
 * operator of the service, across all accounts.
 */
export type Effect = 'none' | 'read' | 'write' | 'control';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Path parameters that may span several segments; every other `{name}` matches one segment. */
export const spanning: ReadonlySet<string> = new Set(['agent_id', 'entity_path', 'name']);

export type HttpRoute = {
  method: HttpMethod;
  /** `{name}` is replaced by that field of the input. */
  path: string;
};

export type HttpBinding = HttpRoute & {
  /** The success status if it is not 200; a function, with every status it may return, if the output decides. */
  status?: number | { of: (output: never) => number; all: readonly number[] };
  /** A path filled in from the output; sent as the `Location` header with status 201. */
  location?: string;
  /** Other routes to the same operation. */
  aliases?: readonly HttpRoute[];
  /** Makes reads conditional, with `ETag`, `If-None-Match` and 304. */
  etag?: (output: never) => string;
  /** Accepts OTLP: bodies may be protobuf or compressed, and unknown members are ignored. */
  otlp?: true;
  /** Takes what a sender signs: the body is whatever it sends, and a signature is checked before it is read. */
  webhook?: true;
  /** Accepts CloudEvents beside its own form. */
  cloud_events?: true;
};

/**
 * Which buffered notes of reads must be in the store before the operation runs: those of the caller's session on this
 * server; also those of other servers and of the client; or those of all sessions of the account on all servers.
 */
export type NeedsNotes = 'of this server' | 'of all servers' | 'of the whole account';

/**
 * Two fields of the input: `unless` keeps the session open when it is set, and `named_by` names the outcome that ends
 * it.
 */
export type Seal = { unless: string; named_by: string };

/** The groups of MCP tools; each tool is in one. */
export const toolsets = ['core', 'data', 'tracing', 'evaluation', 'branching', 'rooms'] as const;
export type Toolset = (typeof toolsets)[number];
/** What a client can select by name: a group, the few tools for a small context, or all. */
export const toolsetChoices = ['slim', ...toolsets, 'all'] as const;

/** An operation as an MCP tool. */
export type ToolBinding = {
  name: `mem_${string}`;
  toolset: Toolset;
  /** Also one of the few tools of the set `slim`, which lists only these fields. */
  slim?: readonly string[];
  /** What the tool is for, written for a model that chooses between tools. */
  description: string;
  /** The input fields that the tool lists, in this order. */
  fields: readonly string[];
  /** Fields that it takes but does not list: they are rarely needed, and a list is part of every request to a model. */
  unlisted?: readonly string[];
  /** Descriptions of fields that are shorter than those in the schema. */
  about?: Readonly<Record<string, string>>;
  /** The values of a field that the tool takes, where the operation takes others too; its default has to be among them. */
  choices?: Readonly<Record<string, readonly string[]>>;
  /** The field that is JSON: an object or a list that is given as text is read as what it says. */
  json?: string;
  /** Shows the entries of its answer as rows of a table. */
  hits?: true;
  /** Members of these entries that it shows where a call asks for them, as with `include_breakdown: true`. */
  shows?: readonly string[];
  /** The default page size; small, because a model pays for every token it reads. */
  limit?: number;
  /** The field that defaults to the calling agent. */
  self?: string;
  /** The field that defaults to the time of the call. */
  now?: string;
  /** Nothing of its answer is cut, however long it is. */
  whole?: true;
  /** Cuts long texts in its lists, as every paged answer does. */
  previews?: true;
  /** What to try when nothing was found. */
  miss?: string;
  /** It takes something away for good, also where its operation is not the opposite of another. */
  destroys?: true;
};

export type CliBinding = {
  args?: readonly string[];
  /** The command's word. */
  alias?: string;
  /** Synonyms that help does not list. */
  also?: readonly string[];
  /** Help does not list it: a step of another command. */
  hidden?: true;
  /** Other names of flags, by field: they come first in its help. */
  flags?: Readonly<Record<string, string>>;
  /** Flags of one letter, by field. */
  letters?: Readonly<Record<string, string>>;
  /** The field that is the branch of the client where it is not given. */
  current?: string;
  /** The field that is the agent of the client where it is not given. */
  self?: string;
};

export type Operation<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  summary: string;
  description?: string;
  /** The group it is listed under, and the module that serves it. */
  module: string;
  effect: Effect;
  /** The number of metered operations (ops) that a call is charged. */
  cost: 0 | 1 | 2;
  /** The list in its input of which each item is charged so. */
  cost_per?: string;
  /** Why a call is free although its effect would cost something. */
  free?: string;
  /** Callable without a key even where keys are required. */
  open?: boolean;
  /** Only for keys of the type admin. */
  admin?: true;
  /** Members of the answer that are returned only once and never stored, not even for an idempotent replay. */
  once?: readonly string[];
  /** Concerns the account as a whole, across all agents; refused for a key with a limited scope. */
  whole?: true;
  /** Shows names from anywhere in the account; also refused for a key with a limited scope. */
  needs_full_scope?: true;
  /** With this field it shows what the caller may read and no more, so that `admin` and `whole` do not hold. */
  narrowed_by?: string;
  /** A read on behalf of the agent that its input names, not only about it. Every write that names an agent is. */
  acts_as_agent?: true;
  /** Writes, but only reads from the paths that its input names. */
  cites?: true;
  /** Its path says below what it lists. As with a glob, a key is given the part within its scope. */
  lists_below?: true;
  /**
   * For an operation that reads in parts: how many items a statement covers at least. Any other operation takes as many
   * statements for 500 items as for 10.
   */
  items_per_statement?: number;
  /** What it creates becomes part of the open session of the caller, which holds at most this many. */
  most_per_session?: number;
  http: HttpBinding;
  /** Which notes of reads must be in the store before it runs. */
  needs_notes?: NeedsNotes;
  /** Ends the open session of the caller. */
  seals?: Seal;
  /** The caller may have no access to the room afterwards; its retry is answered all the same. */
  ends_access?: true;
  /** Erases what its input names, so that no record of this call may contain those names again. */
  erases?: true;
  /** The operation whose results this one removes. */
  removes?: string;
  /** The field that holds a list of drafts, each with an `entity_path`. */
  drafts_in?: string;
  /**
   * Fields other than `branch` that name a branch or a state of one, and what a key needs there. For `branch` it follows
   * from the effect.
   */
  branches_in?: Readonly<Record<string, 'read' | 'read_write'>>;
  /**
   * Where it runs in the account of a room. `paths`: in the room that its paths begin with, if any. `agent`: in the room of its
   * `room_id`, for agents that have joined it. `account`: the same for every agent of an account that is in it.
   */
  in_room?: 'paths' | 'agent' | 'account';
  /** Its paths say what a key may reach, also in rooms. It runs in the account of its caller. */
  grants_paths?: true;
  /** Its result belongs to no path or entry, so every agent and every key of the account can see it. */
  open_to_all?: true;
  /** The entries that it writes are visible to every agent of the account, as their author is none of them. */
  always_shared?: true;
  /** Members of the body that are kept as their exact JSON text; `*` matches each element of a list. */
  raw?: readonly (readonly string[])[];
  tools?: readonly ToolBinding[];
  cli?: CliBinding;
  input: I;
  output: O;
  errors: readonly FaultCode[];
  /**
   * The nth of a series of calls: n makes names and numbers unique where they must be new. Each call works on an empty
   * store or answers `not_found`. `example(0)` is shown in the docs, where it works after those of the rows before it.
   */
  example: (n: number) => z.input<I>;
  /** Answers with an endless stream of Server-Sent Events; `output` is the data of one event. */
  stream?: true;
  /** Answers with JSON Lines; `output` is the content of one line. */
  lines?: true;
};

/** A name that is unique for each n. */
export const nth = (name: string, n: number): string => (n === 0 ? name : `${name}-${n}`);

/**
 * An operation as written in the table. Schemas are built on first use, since building all of them takes longer than a
 * call.
 */
type OperationRow<I extends z.ZodType, O extends z.ZodType> = Omit<Operation<I, O>, 'input' | 'output'> & {
  input: () => I;
  output: () => O;
};

export function operation<I extends z.ZodType, O extends z.ZodType>(row: OperationRow<I, O>): Operation<I, O> {
  let input: I | undefined;
  let output: O | undefined;
  return {
    ...row,
    get input() {
      input ??= row.input();
      return input;
    },
    get output() {
      output ??= row.output();
      return output;
    },
  };
}

/** Declares an operation that answers with an endless stream. */
export function streaming<I extends z.ZodType, O extends z.ZodType>(
  row: OperationRow<I, O>,
): Operation<I, O> & { stream: true } {
  return Object.assign(operation(row), { stream: true as const });
}

/** Declares an operation that answers with JSON Lines. */
export function listing<I extends z.ZodType, O extends z.ZodType>(
  row: OperationRow<I, O>,
): Operation<I, O> & { lines: true } {
  return Object.assign(operation(row), { lines: true as const });
}

import type { z } from 'zod';
import type { FaultCode } from './faults.ts';

/**
 * What an operation does to the account. `none` is for the service about itself; `control` is for whoever runs the
 * service, over all accounts.
 */
export type Effect = 'none' | 'read' | 'write' | 'control';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Parameters of an address that may span several segments; every other `{name}` is one. */
export const spanning: ReadonlySet<string> = new Set(['agent_id', 'entity_path']);

export type HttpRoute = {
  method: HttpMethod;
  /** With `{name}` where a field of the input stands. */
  path: string;
};

export type HttpBinding = HttpRoute & {
  /** Success status when it is not 200; a function when the output decides, with the statuses it may give. */
  status?: number | { of: (output: never) => number; all: readonly number[] };
  /** Filled from the output; sent as `Location` with 201. */
  location?: string;
  /** Other addresses of the same operation. */
  aliases?: readonly HttpRoute[];
  /** Makes reads conditional: `ETag`, `If-None-Match` and 304. */
  etag?: (output: never) => string;
  /** Speaks OTLP: bodies may be protobuf or compressed, and members that are not known are passed over. */
  otlp?: true;
};

/**
 * What is noted of reads waits in memory for a moment. An operation may need what this server noted of the caller's session;
 * or what every server and the client itself did; or what all servers noted of all sessions of the account.
 */
export type NeedsNotes = 'of this server' | 'of all servers' | 'of the whole account';

/** Names fields of the input: the one that leaves the session open all the same, and the one that says what ended it. */
export type Seal = { unless: string; named_by: string };

/** Groups of tools that a client can ask for by name. */
export const toolsets = ['core', 'data', 'tracing', 'evaluation'] as const;
export type Toolset = (typeof toolsets)[number];

/** An operation as a model is offered it. */
export type ToolBinding = {
  name: `mem_${string}`;
  toolset: Toolset;
  /** What it is for, in the words of somebody who has to choose. */
  description: string;
  /** Fields of the input that are offered, in this order. */
  fields: readonly string[];
  /** Shorter words for a field than those of its shape. */
  about?: Readonly<Record<string, string>>;
  /** Members of the answer that the listing names; all where it is left out. */
  gives?: readonly string[];
  /** Page size where none is asked for: what a model reads it pays for. */
  limit?: number;
  /** The field that is the calling agent where it is not given. */
  self?: string;
  /** Again with the same arguments, it changes nothing more. */
  idempotent?: true;
  /** Values are shown whole, however long they are. */
  whole?: true;
  /** Shows its lists cut short, as every page is. */
  previews?: true;
  /** What to try where nothing was found. */
  miss?: string;
};

export type Operation<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  summary: string;
  description?: string;
  /** The group it is listed under, and the module that serves it. */
  module: string;
  effect: Effect;
  /** Metered operations (ops) a call is charged. */
  cost: 0 | 1 | 2;
  /** Why it costs nothing, though what it does would. */
  free?: string;
  /** Answers without a key even where keys are required. */
  open?: boolean;
  /** Only for keys of the type admin. */
  admin?: true;
  /** A member of the answer that is given once and never kept, not even to repeat the answer. */
  once?: string;
  /** Is about the account as a whole, whoever wrote what: not for a key that is kept to a part of it. */
  whole?: true;
  /** Shows names from anywhere in the account: not for a key that is kept to a part of it either. */
  needs_full_scope?: true;
  /** It writes, but from the paths it names it only reads. */
  cites?: true;
  /**
   * Reads what there is in parts, with a statement or two for each. Without it an operation takes as many statements for
   * 500 items as for 10.
   */
  statements?: 'in parts';
  http: HttpBinding;
  /** Has to find in the store what is noted of reads. */
  needs_notes?: NeedsNotes;
  /** Ends the open session of the caller. */
  seals?: Seal;
  /** What it names is to be forgotten, so that no other record names it again because of this call. */
  erases?: true;
  /** Takes away what calls of that operation made. */
  removes?: string;
  /** The field that is a list of drafts, each with an `entity_path`. */
  drafts_in?: string;
  /** What it makes is about no path and no entry: every agent of the account sees it, and so does every key. */
  open_to_all?: true;
  /** Members of the body kept as the exact JSON text they arrived in; `*` stands for each element of a list. */
  raw?: readonly (readonly string[])[];
  tools?: readonly ToolBinding[];
  /** `alias` is what people type; `also` are other words for it. */
  cli?: { args?: readonly string[]; alias?: string; also?: readonly string[] };
  input: I;
  output: O;
  errors: readonly FaultCode[];
  /**
   * The nth call of a series that can be made again and again: where a name or a number has to be new, n makes it so. Each
   * works on an empty store or answers `not_found`. `example(0)` is what docs show.
   */
  example: (n: number) => z.input<I>;
  /** Answers without end, as Server-Sent Events: `output` is what each of them carries. */
  stream?: true;
  /** Answers with JSON Lines, as many as it takes: `output` is what each of them carries. */
  lines?: true;
};

/** A name that is new with each n. */
export const nth = (name: string, n: number): string => (n === 0 ? name : `${name}-${n}`);

/** As it stands in the table: schemas are made when they are asked for, since making all of them takes longer than a call. */
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

/** An operation that answers without end. */
export function streaming<I extends z.ZodType, O extends z.ZodType>(
  row: OperationRow<I, O>,
): Operation<I, O> & { stream: true } {
  return Object.assign(operation(row), { stream: true as const });
}

/** An operation that answers with lines. */
export function listing<I extends z.ZodType, O extends z.ZodType>(
  row: OperationRow<I, O>,
): Operation<I, O> & { lines: true } {
  return Object.assign(operation(row), { lines: true as const });
}

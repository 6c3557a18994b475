import type { OperationName, Toolset } from '@mem-service/contract';
import type { ObjectSchema } from './json-schema.ts';
import type { JsonObject, McpSession } from './session.ts';

/** Only what differs from the defaults of the protocol: a tool may write, and what it writes may destroy. */
export type ToolAnnotations = { readOnlyHint?: true; destructiveHint?: false };

/** A tool in the list that clients receive. */
export type ListedTool = {
  name: string;
  description: string;
  inputSchema: ObjectSchema;
  annotations: ToolAnnotations;
};

/** The answer of a tool. */
export type ToolAnswer = {
  json: JsonObject;
  isError?: true;
  /** Nothing empty or usual is left anywhere in it. */
  isTrimmed?: boolean;
};

/** The context of one tool call. */
export type ToolCallContext = {
  /** Aborted when the client no longer waits for the answer. */
  signal: AbortSignal;
  /** The text of the arguments, with numbers as the client wrote them. */
  exact: string | undefined;
  /** Reports progress to a client that asked for it. */
  progress(done: number, message: string): Promise<void>;
  /** Reports an error of the service to the client. */
  log(message: string): Promise<void>;
};

export type Tool = {
  name: string;
  toolset: Toolset;
  /** The operation that it calls, where it is derived from one. */
  operation?: OperationName;
  /** Created on first use. */
  listed(): ListedTool;
  /** How it is listed in the set `slim`; undefined if it is not in it. */
  listedSlim?: () => ListedTool;
  run(args: JsonObject, session: McpSession, call: ToolCallContext): Promise<ToolAnswer>;
  /** Writes files on the client's machine, so it is not offered over the network. */
  onlyNearby?: true;
};

export const readHints: ToolAnnotations = { readOnlyHint: true };
export const writeHints: ToolAnnotations = { destructiveHint: false };
export const removalHints: ToolAnnotations = {};

export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

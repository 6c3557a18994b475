import type { Toolset } from '@mem-service/contract';
import type { ObjectSchema } from './json-schema.ts';
import type { JsonObject, McpSession } from './session.ts';

export type ToolAnnotations = {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
};

/** A tool in the list that clients receive. */
export type ListedTool = {
  name: string;
  description: string;
  inputSchema: ObjectSchema;
  outputSchema: ObjectSchema;
  annotations: ToolAnnotations;
};

/** The answer of a tool: its members, and their exact text if it matters. */
export type ToolAnswer = { json: JsonObject; text?: string; isError?: true };

/** The context of one tool call. */
export type ToolCallContext = {
  /** Aborted when the client no longer waits for the answer. */
  signal: AbortSignal;
  /** Reports progress to a client that asked for it. */
  progress(done: number, message: string): Promise<void>;
};

export type Tool = {
  name: string;
  toolset: Toolset;
  /** Created on first use. */
  listed(): ListedTool;
  run(args: JsonObject, session: McpSession, call: ToolCallContext): Promise<ToolAnswer>;
  /** Writes files on the client's machine, so it is not offered over the network. */
  onlyNearby?: true;
};

export const readHints: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
};
export const writeHints: ToolAnnotations = { ...readHints, readOnlyHint: false, idempotentHint: false };
export const idempotentHints: ToolAnnotations = { ...writeHints, idempotentHint: true };

export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

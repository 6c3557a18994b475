import type { Toolset } from '@mem-service/contract';
import type { ObjectSchema } from './json-schema.ts';
import type { JsonObject, McpSession } from './session.ts';

export type ToolAnnotations = {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
};

/** As clients list it. */
export type ListedTool = {
  name: string;
  description: string;
  inputSchema: ObjectSchema;
  outputSchema: ObjectSchema;
  annotations: ToolAnnotations;
};

/** What a tool gives: members, or the exact text of them too. */
export type ToolAnswer = { json: JsonObject; text?: string; isError?: true };

/** The call that is being answered, as its client sees it. */
export type ToolCallContext = {
  /** Nobody waits for the answer any more. */
  signal: AbortSignal;
  /** Tells a client that asked for it how far it is. */
  progress(done: number, message: string): Promise<void>;
};

export type Tool = {
  name: string;
  toolset: Toolset;
  /** Made when it is first asked for. */
  listed(): ListedTool;
  run(args: JsonObject, session: McpSession, call: ToolCallContext): Promise<ToolAnswer>;
  /** Leaves something on the machine of the client, so that it is not offered over the network. */
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

import type { Toolset } from '@mem-service/contract';
import type { ObjectSchema } from './json-schema.ts';
import type { Json, Session } from './session.ts';

export type Annotations = {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
};

/** As clients list it. */
export type Listed = {
  name: string;
  description: string;
  inputSchema: ObjectSchema;
  outputSchema: ObjectSchema;
  annotations: Annotations;
};

/** What a tool gives: members, or the exact text of them too. */
export type Answer = { json: Json; text?: string; isError?: true };

/** The call that is being answered, as its client sees it. */
export type Call = {
  /** Nobody waits for the answer any more. */
  signal: AbortSignal;
  /** Tells a client that asked for it how far it is. */
  progress(done: number, message: string): Promise<void>;
};

export type Tool = {
  name: string;
  toolset: Toolset;
  /** Made when it is first asked for. */
  listed(): Listed;
  run(args: Json, session: Session, call: Call): Promise<Answer>;
  /** Leaves something on the machine of the client, so that it is not offered over the network. */
  onlyNearby?: true;
};

export const reading: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
};
export const writing: Annotations = { ...reading, readOnlyHint: false, idempotentHint: false };
export const settling: Annotations = { ...writing, idempotentHint: true };

export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

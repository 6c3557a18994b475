import type { Output, Request } from '@mem-service/contract';
import type { Camel } from './camel.ts';
import { isMemError } from './error.ts';
import { type CallOptions, sleep } from './transport.ts';

type WriteAnswer = Camel<Output<'entries.write'>>;
type ReadAnswer = Camel<Output<'entries.read'>>;

export type WriteInput<V> = Omit<Camel<Request<'entries.write'>>, 'value'> & { value: V };

/**
 * Merges two values into one. `theirs` is undefined where the entry was deleted; values that others wrote may have any
 * shape.
 */
export type Conflict<V> = (mine: V, theirs: V | undefined, entry: ReadAnswer | undefined) => V | Promise<V>;

export type WriteOptions<V = unknown> = CallOptions & {
  /**
   * Called with the current entry when its version is not `ifVersion` (without `ifVersion`: when the entry exists). The
   * returned value is written instead, and the merge repeats if another write comes first.
   */
  conflict?: Conflict<V> | undefined;
};

export type WriteMethod = <V>(input: WriteInput<V>, options?: WriteOptions<V>) => Promise<WriteAnswer>;

type EntryCalls = {
  write(input: Record<string, unknown>, options?: CallOptions): Promise<unknown>;
  read(input: Record<string, unknown>, options?: CallOptions): Promise<unknown>;
};

/** When many clients write to one entry, one of them succeeds each round. */
const MAX_MERGES = 20;
const STEP_MS = 10;

export function writeWithMerge({ write, read }: EntryCalls): WriteMethod {
  return async (input, { conflict, ...options } = {}) => {
    if (!conflict) return (await write(input, options)) as WriteAnswer;
    const theirsNow = async (): Promise<ReadAnswer | undefined> => {
      const { entityPath, key, branch, agentId = options.agentId, sessionId = options.sessionId } = input;
      const address = { entityPath, key, ...(branch === undefined ? {} : { branch }) };
      try {
        return (await read(address, { ...options, agentId, sessionId, idempotencyKey: undefined })) as ReadAnswer;
      } catch (error) {
        if (isMemError(error, 'not_found')) return undefined;
        throw error;
      }
    };
    let next = { ...input, ifVersion: input.ifVersion ?? 0 };
    for (let merges = 0; ; merges++) {
      try {
        return (await write(next, options)) as WriteAnswer;
      } catch (error) {
        if (!isMemError(error, 'version_conflict') || merges === MAX_MERGES) throw error;
      }
      if (merges > 0) await sleep(Math.random() * STEP_MS * (merges + 1), options.signal);
      const entry = await theirsNow();
      const value = await conflict(input.value, entry?.value as typeof input.value | undefined, entry);
      next = { ...input, value, ifVersion: entry?.version ?? 0 };
    }
  };
}

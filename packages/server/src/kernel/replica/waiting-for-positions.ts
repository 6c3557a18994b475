import type { OperationName } from '@mem-service/contract';
import type { Caller } from '../caller.ts';
import { LogRewound } from '../log-pages.ts';
import type { Replica } from './replica.ts';

export type RunCall = (name: OperationName, raw: unknown, caller: Caller) => Promise<unknown>;

/** A position that a replica does not have yet may be one of the primary: the call waits for it, as for `X-MEM-Min-Seq`. */
export const waitingForPositions =
  (replica: Pick<Replica, 'waitForSeq'>, run: RunCall): RunCall =>
  async (name, raw, caller) => {
    try {
      return await run(name, raw, caller);
    } catch (error) {
      if (!(error instanceof LogRewound) || error.missing === undefined) throw error;
      await replica.waitForSeq(name, { ...caller, min_seq: error.missing });
      return run(name, raw, caller);
    }
  };

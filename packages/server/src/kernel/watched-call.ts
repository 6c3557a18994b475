import { Fault, type OperationName, operations } from '@mem-service/contract';
import type { Caller } from './caller.ts';
import { toCountedCall } from './counted-call.ts';
import type { Services } from './module.ts';
import type { startNotes } from './notes.ts';
import { fromStorage } from './storage-fault.ts';
import type { Usage } from './usage.ts';

type WatchParts = { services: Services; usage: Usage; notes: Pick<ReturnType<typeof startNotes>, 'error'> };

/** The request belongs to another server: it is no error of its session. */
const OF_REPLICA: ReadonlySet<string> = new Set(['read_only', 'replica_behind']);

/** Counts calls with how they ended and how long they took, and notes errors for their sessions. */
export const createWatch =
  ({ services, usage, notes }: WatchParts) =>
  (name: OperationName, input: unknown, caller: Caller) => {
    const started = performance.now();
    const observe = (result: string) => {
      const duration_ms = performance.now() - started;
      usage.observe(name, result, duration_ms);
      const call = toCountedCall(operations[name], { input, caller, failed: result !== 'ok', duration_ms });
      services.activity.record(call, services.clock.now());
    };
    return {
      done: () => observe('ok'),
      /** Returns what the caller is answered with. */
      failed(error: unknown): unknown {
        const fault = fromStorage(error);
        observe(fault instanceof Fault ? fault.code : 'internal');
        if (fault instanceof Fault && !OF_REPLICA.has(fault.code)) notes.error(name, { input, caller, fault });
        return fault;
      },
    };
  };

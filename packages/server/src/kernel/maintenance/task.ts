import type { Engine } from '../../db/index.ts';
import type { Kernel } from '../module.ts';
import type { LogEvent } from '../work.ts';

/** A periodic task over the whole store, run by one server at a time. After a crash, another server continues. */
export type MaintenanceTask = {
  name: string;
  /** Undefined: both engines. */
  only_on?: Engine;
  /** The interval in the configuration of the service by default. */
  every_seconds?: number;
  /** Also runs soon after such an event, unless it has run since. `at` says when, or undefined for not at all. */
  after?: { event_types: readonly string[] } & (
    | { delay_seconds: number }
    | { at: (event: LogEvent) => number | undefined }
  );
  /** Asked after each run: when it is to run again, where that may be before its interval has passed. */
  next?(kernel: Kernel): Promise<number | undefined>;
  /** Before an orderly end of a process that committed such an event. It is short, or leaves the rest to the next process. */
  finish?: { event_types: readonly string[]; run(kernel: Kernel): Promise<void> };
  /** Must be repeatable, even by two servers at once. A long task checks `isStopping` regularly. */
  run(kernel: Kernel, isStopping: () => boolean): Promise<void>;
};

/** A periodic task on the memory of this process. Every process runs its own. */
export type ProcessTimer = { name: string; run(kernel: Kernel): Promise<void> };

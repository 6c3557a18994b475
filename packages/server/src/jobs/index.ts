import type { Engine } from '../db/index.ts';
import {
  Consumers,
  type ConsumersOptions,
  deleteExpiredAnswers,
  type Kernel,
  Maintenance,
  type MaintenanceOptions,
  type MaintenanceTask,
  type Module,
  type ProcessTimer,
} from '../kernel/index.ts';

/** The background work of all modules. */
export type Background = {
  /** Follow the log. Shared among all servers on a store. */
  consumers: Consumers;
  /** Periodic tasks over the whole store. Shared among all servers on a store. */
  maintenance: Maintenance;
  /** Periodic tasks on the memory of this process. */
  timers: readonly ProcessTimer[];
  starts: readonly NonNullable<Module['starts']>[];
  sweepSeconds: number;
  onError: (error: unknown) => void;
};

export type Jobs = {
  /** Runs all periodic tasks now, and the consumers until nothing is due. */
  sweep(): Promise<void>;
  close(): Promise<void>;
};

export function createBackground(
  modules: readonly Module[],
  options: ConsumersOptions & MaintenanceOptions,
): Background {
  const { sweepSeconds, onError, database } = options;
  const isHere = ({ only_on }: { only_on?: Engine }) => only_on === undefined || only_on === database.dialect.engine;
  const consumers = new Consumers(modules.flatMap((module) => module.consumers ?? []).filter(isHere), options);
  const walk: MaintenanceTask = { name: 'kernel.find_missed_events', run: () => consumers.walk() };
  const tasks = [deleteExpiredAnswers, ...modules.flatMap((module) => module.maintenance ?? []), walk];
  const timers = modules.flatMap((module) => module.timers ?? []);
  const maintenance = new Maintenance(tasks.filter(isHere), options);
  const starts = modules.flatMap((module) => module.starts ?? []);
  return { consumers, maintenance, timers, starts, sweepSeconds, onError };
}

export async function startJobs(kernel: Kernel, background: Background): Promise<Jobs> {
  const { timers, maintenance, consumers, starts, sweepSeconds, onError } = background;
  const isReplica = kernel.services.replica !== undefined;
  if (!isReplica) {
    await consumers.install();
    await maintenance.install();
  }
  let running: Promise<void> = Promise.resolve();
  let closed = false;
  const runTimers = (): Promise<void> => {
    running = running.then(async () => {
      for (const timer of timers) if (!closed) await timer.run(kernel).catch(onError);
    });
    return running;
  };
  const timer = setInterval(() => void runTimers(), sweepSeconds * 1000).unref();
  if (!isReplica) {
    maintenance.start(kernel);
    consumers.start(kernel);
  }
  const started = isReplica ? [] : starts.flatMap((start) => start(kernel, onError) ?? []);
  return {
    async sweep() {
      await runTimers();
      if (isReplica) return;
      await consumers.walk();
      await consumers.drain();
      await maintenance.runAll();
      await consumers.drain();
      for (const one of started) await one.drain();
    },
    async close() {
      closed = true;
      clearInterval(timer);
      await Promise.all([running, maintenance.close(), consumers.close()]);
      await Promise.all(started.map((one) => one.close()));
    },
  };
}

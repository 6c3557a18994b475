import type { Job, Kernel } from '../kernel/index.ts';

export type Jobs = {
  /** Runs everything that is due now and then, now. */
  sweep(): Promise<void>;
  close(): Promise<void>;
};

export type JobOptions = { jobs: readonly Job[]; sweepSeconds: number; onError: (error: unknown) => void };

/** Housekeeping beside the requests: one job at a time, each finished before the process ends. */
export function startJobs(kernel: Kernel, { jobs, sweepSeconds, onError }: JobOptions): Jobs {
  let running: Promise<void> = Promise.resolve();
  let closed = false;
  const enqueue = (job: Job): Promise<void> => {
    running = running.then(() => (closed ? undefined : job.run(kernel, () => closed))).catch(onError);
    return running;
  };
  const sweep = async () => {
    for (const job of jobs) if (job.after === undefined) await enqueue(job);
  };
  let sweeping = false;
  const sweepAgain = async () => {
    if (sweeping) return;
    sweeping = true;
    await sweep();
    sweeping = false;
  };
  const timer = setInterval(sweepAgain, sweepSeconds * 1000);
  timer.unref();
  const delayed = new Map<Job, NodeJS.Timeout>();
  const enqueueLater = (job: Job) => {
    if (delayed.has(job)) return;
    const run = () => {
      delayed.delete(job);
      void enqueue(job);
    };
    delayed.set(job, setTimeout(run, (job.delaySeconds ?? 0) * 1000).unref());
  };
  const unsubscribe = kernel.feed.subscribeAll((events) => {
    for (const job of jobs) if (events.some((event) => event.event_type === job.after)) enqueueLater(job);
  });
  return {
    sweep,
    async close() {
      closed = true;
      clearInterval(timer);
      for (const waiting of delayed.values()) clearTimeout(waiting);
      unsubscribe();
      await running;
    },
  };
}

import type { Metric, WorkerMetrics } from '../http/metrics.ts';

/** What the supervisor and its workers send each other, over the channel that Node opens for a worker. */
export type FromWorker =
  | { mem: 'ready'; port: number; storedKeys: number }
  | { mem: 'gather'; request: number }
  | { mem: 'measured'; request: number; metrics: Metric[] };

export type ToWorker =
  | { mem: 'retire' }
  | { mem: 'measure'; request: number }
  | { mem: 'gathered'; request: number; workers: WorkerMetrics[] };

/** The channel also carries messages of Node's own and of other programs. */
export const isOurs = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && typeof (message as { mem?: unknown }).mem === 'string';

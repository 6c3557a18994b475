import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Kernel, LATENCY_BUCKETS_S } from '../kernel/index.ts';
import { counterOf, gaugeOf, processBackgroundMetrics, storedBackgroundMetrics } from './metrics-background.ts';

const loopDelay = monitorEventLoopDelay({ resolution: 20 });
loopDelay.enable();

export type MetricSample = { labels?: Record<string, string>; value: number; suffix?: string };

export type MetricAbout = { name: string; type: 'counter' | 'gauge' | 'histogram'; help: string };
export type Metric = MetricAbout & { samples: MetricSample[] };

/** What one of several processes measured. */
export type WorkerMetrics = { worker: string; metrics: Metric[] };
/** Asks all processes that serve the address, this one included. */
export type GatherMetrics = () => Promise<WorkerMetrics[]>;

const render = ({ name, type, help, samples }: Metric): string => {
  const lines = samples.map(({ labels = {}, value, suffix = '' }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
    return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`;
  });
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n');
};

/**
 * The state of the service in Prometheus' text format. Labels are names of operations and codes, and the number of the
 * worker where there are several, never names from users.
 */
export async function renderMetrics(kernel: Kernel, gather?: GatherMetrics): Promise<string> {
  const [store, processes] = await Promise.all([
    measureStore(kernel),
    gather ? gather().then(withWorkers) : measureProcess(kernel),
  ]);
  return `${[...store, ...processes].map(render).join('\n')}\n`;
}

/** One metric of each name, with the samples of all workers. */
function withWorkers(workers: readonly WorkerMetrics[]): Metric[] {
  const byName = new Map<string, Metric>();
  for (const { worker, metrics } of workers)
    for (const { samples, ...about } of metrics) {
      const all = byName.get(about.name) ?? { ...about, samples: [] };
      for (const sample of samples) all.samples.push({ ...sample, labels: { ...sample.labels, worker } });
      byName.set(about.name, all);
    }
  return [...byName.values()];
}

/** The same for every process on the store. */
async function measureStore(kernel: Kernel): Promise<Metric[]> {
  const { version, database, schema } = kernel.services;
  const labels = { version, backend: database.dialect.engine, schema: String(schema) };
  return [
    { name: 'mem_info', type: 'gauge', help: 'Version and backend.', samples: [{ labels, value: 1 }] },
    ...(await storedBackgroundMetrics(kernel)),
  ];
}

/** What this process did and is. */
export function measureProcess(kernel: Kernel): Metric[] {
  const { usage } = kernel;
  const calls = [...usage.calls];
  const results = calls.flatMap(([operation, stats]) =>
    [...stats.calls].map(([result, value]) => ({ labels: { operation, result }, value })),
  );
  const cpu = process.cpuUsage();
  const memory = process.memoryUsage();
  const counter = (name: string, help: string, value: number): Metric => counterOf(name, help, [{ value }]);
  const gauge = (name: string, help: string, value: number): Metric => gaugeOf(name, help, [{ value }]);
  return [
    counterOf('mem_operations_total', 'Calls by operation and result.', results),
    {
      name: 'mem_operation_seconds',
      type: 'histogram',
      help: 'Time an operation took.',
      samples: calls.flatMap(latency),
    },
    counter('mem_ops_charged_total', 'Metered ops charged.', usage.ops_charged),
    counter('mem_commit_batches_total', 'Transactions that group commit made.', usage.batches),
    counter('mem_commit_writes_total', 'Writes in those transactions.', usage.batched_writes),
    gauge('mem_writes_waiting', 'Writes waiting for a transaction.', kernel.queued),
    gauge('mem_streams_open', 'Readers that follow the log.', kernel.following),
    ...processBackgroundMetrics(kernel),
    gauge('process_resident_memory_bytes', 'Resident memory.', memory.rss),
    gauge('nodejs_heap_used_bytes', 'Heap in use.', memory.heapUsed),
    counter('process_cpu_seconds_total', 'CPU time used.', (cpu.user + cpu.system) / 1e6),
    gauge('process_uptime_seconds', 'Time since the start.', process.uptime()),
    gauge('nodejs_eventloop_lag_p99_seconds', 'Delay of the event loop.', loopDelay.percentile(99) / 1e9),
  ];
}

function latency([operation, stats]: [string, { buckets: number[]; sum_s: number; count: number }]): MetricSample[] {
  let below = 0;
  const buckets = LATENCY_BUCKETS_S.map((bound, i) => {
    below += stats.buckets[i] ?? 0;
    return { labels: { operation, le: String(bound) }, value: below, suffix: '_bucket' };
  });
  return [
    ...buckets,
    { labels: { operation, le: '+Inf' }, value: stats.count, suffix: '_bucket' },
    { labels: { operation }, value: stats.sum_s, suffix: '_sum' },
    { labels: { operation }, value: stats.count, suffix: '_count' },
  ];
}

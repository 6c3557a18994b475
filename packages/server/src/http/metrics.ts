import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Kernel, LATENCY_BUCKETS_S } from '../kernel/index.ts';
import { backgroundMetrics } from './metrics-background.ts';

const loopDelay = monitorEventLoopDelay({ resolution: 20 });
loopDelay.enable();

export type MetricSample = { labels?: Record<string, string>; value: number; suffix?: string };

export type MetricAbout = { name: string; type: 'counter' | 'gauge' | 'histogram'; help: string };

const metric = ({ name, type, help }: MetricAbout, samples: MetricSample[]): string => {
  const lines = samples.map(({ labels = {}, value, suffix = '' }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
    return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`;
  });
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n');
};

/**
 * The state of the process in Prometheus' text format. Labels are names of operations and codes, never names from
 * users.
 */
export async function renderMetrics(kernel: Kernel): Promise<string> {
  const { usage, services } = kernel;
  const calls = [...usage.calls];
  const info = {
    version: services.version,
    backend: services.database.dialect.engine,
    schema: String(services.schema),
  };
  const results = calls.flatMap(([operation, stats]) =>
    [...stats.calls].map(([result, value]) => ({ labels: { operation, result }, value })),
  );
  const cpu = process.cpuUsage();
  const memory = process.memoryUsage();
  const counter = (name: string, help: string, value: number) => metric({ name, type: 'counter', help }, [{ value }]);
  const gauge = (name: string, help: string, value: number) => metric({ name, type: 'gauge', help }, [{ value }]);
  const parts = [
    metric({ name: 'mem_info', type: 'gauge', help: 'Version and backend.' }, [{ labels: info, value: 1 }]),
    metric({ name: 'mem_operations_total', type: 'counter', help: 'Calls by operation and result.' }, results),
    metric(
      { name: 'mem_operation_seconds', type: 'histogram', help: 'Time an operation took.' },
      calls.flatMap(latency),
    ),
    counter('mem_ops_charged_total', 'Metered ops charged.', usage.ops_charged),
    counter('mem_commit_batches_total', 'Transactions that group commit made.', usage.batches),
    counter('mem_commit_writes_total', 'Writes in those transactions.', usage.batched_writes),
    gauge('mem_writes_waiting', 'Writes waiting for a transaction.', kernel.queued),
    gauge('mem_streams_open', 'Readers that follow the log.', kernel.following),
    ...(await backgroundMetrics(kernel)).map(({ samples, ...about }) => metric(about, samples)),
    gauge('process_resident_memory_bytes', 'Resident memory.', memory.rss),
    gauge('nodejs_heap_used_bytes', 'Heap in use.', memory.heapUsed),
    counter('process_cpu_seconds_total', 'CPU time used.', (cpu.user + cpu.system) / 1e6),
    gauge('process_uptime_seconds', 'Time since the start.', process.uptime()),
    gauge('nodejs_eventloop_lag_p99_seconds', 'Delay of the event loop.', loopDelay.percentile(99) / 1e9),
  ];
  return `${parts.join('\n')}\n`;
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

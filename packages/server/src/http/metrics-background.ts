import type { Kernel } from '../kernel/index.ts';
import type { MetricAbout, MetricSample } from './metrics.ts';

export type Metric = MetricAbout & { samples: MetricSample[] };

/** Metrics of background work: by this process since its start, and the state in the store. */
export async function backgroundMetrics({ services }: Kernel): Promise<Metric[]> {
  const { consumers, maintenance, clock } = services;
  const [measured, tasks] = await Promise.all([consumers.measured(), maintenance.states()]);
  const ofConsumers = (value: 'lag' | 'accounts_behind' | 'dead_letters') =>
    measured.map(({ consumer, ...row }) => ({ labels: { consumer }, value: row[value] }));
  const byConsumer = consumers.counts.flatMap(({ consumer, handled, failed }) => [
    { labels: { consumer, result: 'handled' }, value: handled },
    { labels: { consumer, result: 'failed' }, value: failed },
  ]);
  const byTask = maintenance.counts.flatMap(({ task, done, failed }) => [
    { labels: { task, result: 'done' }, value: done },
    { labels: { task, result: 'failed' }, value: failed },
  ]);
  const overdue = tasks.map(({ task, next_run_at }) => ({
    labels: { task },
    value: Math.max(0, clock.now() - next_run_at) / 1000,
  }));
  return [
    gauge('mem_consumer_lag', 'Events that wait for a consumer, as last measured.', ofConsumers('lag')),
    gauge('mem_consumer_accounts_behind', 'Accounts with such events.', ofConsumers('accounts_behind')),
    gauge('mem_consumer_dead_letters', 'Events that a consumer gave up on.', ofConsumers('dead_letters')),
    counter('mem_consumer_events_total', 'Events that this process handled, and failures to.', byConsumer),
    counter('mem_maintenance_runs_total', 'Maintenance tasks that this process ran.', byTask),
    gauge('mem_maintenance_overdue_seconds', 'How long a maintenance task has been due.', overdue),
  ];
}

const gauge = (name: string, help: string, samples: MetricSample[]): Metric => ({ name, type: 'gauge', help, samples });
const counter = (name: string, help: string, samples: MetricSample[]): Metric => ({
  name,
  type: 'counter',
  help,
  samples,
});

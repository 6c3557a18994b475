import { type Kernel, orNothing } from '../kernel/index.ts';
import type { Metric, MetricSample } from './metrics.ts';

/** The state of background work in the store. */
export async function storedBackgroundMetrics({ services }: Kernel): Promise<Metric[]> {
  const { consumers, maintenance, clock, database } = services;
  const countBehind = async () => (database.words?.countBehind ? [{ value: await database.words.countBehind() }] : []);
  const [measured, tasks, behind] = await Promise.all([
    consumers.measured(),
    maintenance.states(),
    orNothing(countBehind()),
  ]);
  const ofConsumers = (value: 'lag' | 'accounts_behind' | 'dead_letters') =>
    measured.map(({ consumer, ...row }) => ({ labels: { consumer }, value: row[value] }));
  const overdue = tasks.map(({ task, next_run_at }) => ({
    labels: { task },
    value: Math.max(0, clock.now() - next_run_at) / 1000,
  }));
  return [
    gaugeOf('mem_consumer_lag', 'Events that wait for a consumer, as last measured.', ofConsumers('lag')),
    gaugeOf('mem_consumer_accounts_behind', 'Accounts with such events.', ofConsumers('accounts_behind')),
    gaugeOf('mem_consumer_dead_letters', 'Events that a consumer gave up on.', ofConsumers('dead_letters')),
    gaugeOf('mem_maintenance_overdue_seconds', 'How long a maintenance task has been due.', overdue),
    gaugeOf('mem_words_behind', 'Changes that the index of words does not have yet.', behind),
  ];
}

/** Background work that this process did since its start. */
export function processBackgroundMetrics({ services }: Kernel): Metric[] {
  const { consumers, maintenance, replica, modelCalls } = services;
  const byModelCall = [...modelCalls].map(([call, value]) => {
    const [purpose = '', result = ''] = call.split(' ');
    return { labels: { purpose, result }, value };
  });
  const unnoted = replica ? Object.entries(replica.missed) : [];
  const byConsumer = consumers.counts.flatMap(({ consumer, handled, failed }) => [
    { labels: { consumer, result: 'handled' }, value: handled },
    { labels: { consumer, result: 'failed' }, value: failed },
  ]);
  const byTask = maintenance.counts.flatMap(({ task, done, failed }) => [
    { labels: { task, result: 'done' }, value: done },
    { labels: { task, result: 'failed' }, value: failed },
  ]);
  return [
    counterOf('mem_consumer_events_total', 'Events that this process handled, and failures to.', byConsumer),
    counterOf('mem_maintenance_runs_total', 'Maintenance tasks that this process ran.', byTask),
    counterOf('mem_model_calls_total', 'Requests to models outside the service, by how they ended.', byModelCall),
    counterOf(
      'mem_replica_unnoted_total',
      'What this read-only server could not have stored.',
      unnoted.map(([what, value]) => ({ labels: { what }, value })),
    ),
  ];
}

export const gaugeOf = (name: string, help: string, samples: MetricSample[]): Metric => ({
  name,
  type: 'gauge',
  help,
  samples,
});
export const counterOf = (name: string, help: string, samples: MetricSample[]): Metric => ({
  name,
  type: 'counter',
  help,
  samples,
});

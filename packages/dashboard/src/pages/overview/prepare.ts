import type { OperationName, Request } from '../../data/client.ts';
import { queryClient, questionOf } from '../../data/query.ts';
import type { PageAddress } from '../../router/address.ts';
import { newestQuestion } from './newest-events.ts';
import { AGENTS, CONTESTED, INCIDENTS, incidentsOf, inputsOf, MINUTE_MS, REVIEWS, weekBefore } from './questions.ts';
import { RANGES } from './ranges.ts';

const KEPT_MS = 10_000;

const prepare = <N extends OperationName>(name: N, input: Request<N>): Promise<void> =>
  queryClient.prefetchQuery(questionOf(name, input));

async function prepareEvents(): Promise<void> {
  const { last_seq } = await queryClient.fetchQuery(questionOf('stats.read', {}));
  await queryClient.prefetchQuery({ ...newestQuestion(last_seq, ''), gcTime: KEPT_MS });
}

/** Asks what the page will show, so that it is drawn once with all answers, and not again with each of them. */
export async function prepareOverview({ search }: PageAddress, now = Date.now()): Promise<void> {
  const range = RANGES.find((choice) => choice === search.range) ?? '1h';
  const { series, outcomes, staleReads } = inputsOf(range, Math.floor(now / MINUTE_MS) * MINUTE_MS);
  const since = weekBefore(now);
  await Promise.allSettled([
    prepareEvents(),
    prepare('series.read', series),
    prepare('agents.list', AGENTS),
    prepare('outcomes.list', outcomes),
    prepare('entries.list', CONTESTED),
    prepare('stale_reads.list', staleReads),
    ...INCIDENTS.map((type) => prepare('outcomes.list', incidentsOf(type, since))),
    prepare('pull_requests.list', REVIEWS),
  ]);
}

import type { OperationName } from '../../data/client.ts';
import { DASHBOARD_AGENT, serviceUrl } from '../../data/service-url.ts';
import { loadKey } from '../../data/stored-key.ts';
import * as questions from './questions.ts';

/** The client knows the routes of all operations, and is not there yet. */
const PATHS = {
  'stats.read': '/api/v1/stats',
  'log.list': '/api/v1/log',
  'series.read': '/api/v1/series',
  'outcomes.list': '/api/v1/outcomes',
  'agents.list': '/api/v1/agents',
  'entries.list': '/api/v1/entries',
  'stale_reads.list': '/api/v1/stale-reads',
  'pull_requests.list': '/api/v1/pull-requests',
} satisfies Partial<Record<OperationName, string>>;

/** As the client writes them. */
function addressOf(name: keyof typeof PATHS, input: object): string {
  const query = Object.entries(input).map(([member, value]) => `${member}=${encodeURIComponent(String(value))}`);
  return serviceUrl().replace(/\/$/, '') + PATHS[name] + (query.length === 0 ? '' : `?${query.join('&')}`);
}

/** Addresses of Overview as most people open it. */
const OVERVIEW = /^(#\/?|#\/overview)?$/;

/** Asks what Overview shows, before the app that will show it is there. */
export function askFirst(now = Date.now()): void {
  if (!OVERVIEW.test(location.hash)) return;
  const key = loadKey();
  const byUrl = new Map<string, Promise<Response>>();
  const headers = {
    accept: 'application/json',
    'x-mem-agent-id': DASHBOARD_AGENT,
    ...(key === '' ? {} : { 'x-mem-api-key': key }),
  };
  const ask = (name: keyof typeof PATHS, input: object, next?: (text: string) => void) => {
    const url = addressOf(name, input);
    const answer = fetch(url, { headers, redirect: 'manual' }).then(async (response) => {
      if (!response.ok) return response;
      const text = await response.text();
      next?.(text);
      // Its text is there when it is taken.
      return new Response(text, { status: response.status, headers: response.headers });
    });
    // Who takes it learns of its failure.
    answer.catch(() => {});
    byUrl.set(url, answer);
  };
  globalThis.memFirst = { key, at: performance.now(), byUrl };
  const since = questions.weekBefore(now);
  const { series, outcomes, staleReads } = questions.inputsOf('1h', Math.floor(now / 60_000) * 60_000);
  ask('stats.read', {}, (text) => {
    const { last_seq } = JSON.parse(text);
    ask('log.list', questions.eventsInput(questions.firstStep(last_seq), questions.typesOf('')));
  });
  ask('series.read', series);
  ask('agents.list', questions.AGENTS);
  ask('outcomes.list', outcomes);
  ask('entries.list', questions.CONTESTED);
  ask('stale_reads.list', staleReads);
  for (const type of questions.INCIDENTS) ask('outcomes.list', questions.incidentsOf(type, since));
  ask('pull_requests.list', questions.REVIEWS);
}

import {
  AGENTS,
  agentOf,
  commonQueries,
  GONE_AGENT,
  HISTORIES,
  newEntries,
  newOutcomes,
  OPEN_SESSIONS,
  openSessionOf,
  rareQueries,
} from './corpus.mjs';
import { newRun } from './harness.mjs';

/** Requests of the figures, as templates (see load/templates.mjs). */
export const readEntry = [{ method: 'GET', path: '/api/v1/entries/bench/p{g}/k{r}' }];

/** The same in sessions of an agent. */
export const readInSession = (agent) => {
  const headers = { 'x-mem-agent-id': agent, 'x-mem-session-id': `${newRun()}-{s}` };
  return readEntry.map((request) => ({ ...request, headers }));
};

export const writeEntries = () =>
  newEntries(newRun()).map((body) => ({ method: 'POST', path: '/api/v1/entries', body }));

export const commitOutcomes = (entries) =>
  newOutcomes(newRun(), entries).map((body) => ({ method: 'POST', path: '/api/v1/outcomes', body }));

export const listFolder = [{ method: 'GET', path: '/api/v1/entries?entity_path=bench/p{g}&limit=100' }];

export const listRecent = [{ method: 'GET', path: '/api/v1/entries?sort=recent&limit=100' }];

export const readHistory = Array.from({ length: HISTORIES }, (_, i) => ({
  method: 'GET',
  path: `/api/v1/entries/bench/history/h${i}/history?limit=50`,
}));

const eachAgent = (toRequest) => Array.from({ length: AGENTS }, (_, i) => toRequest(agentOf(i)));

export const listTraces = [{ method: 'GET', path: '/api/v1/traces?limit=50' }];
export const listTracesOf = eachAgent((agent) => ({
  method: 'GET',
  path: `/api/v1/traces?agent_id=${agent}&limit=50`,
}));

export const explainSession = Array.from({ length: OPEN_SESSIONS }, (_, i) => ({
  method: 'GET',
  path: '/api/v1/explain',
  headers: { 'x-mem-agent-id': agentOf(0), 'x-mem-session-id': openSessionOf(i) },
}));
const timelineOf = (agent) => ({ method: 'GET', path: `/api/v1/agents/${agent}/timeline?limit=100` });
export const readTimeline = eachAgent(timelineOf);
export const readOldTimeline = [timelineOf(GONE_AGENT)];
export const listAgents = [{ method: 'GET', path: '/api/v1/agents?limit=100' }];

const toSearch = (query) => ({
  method: 'POST',
  path: '/api/v1/search',
  body: JSON.stringify({ query, limit: 10 }),
});
export const searchRare = (entries) => rareQueries(entries).map(toSearch);
export const searchCommon = () => commonQueries().map(toSearch);

const times = (count, requests) => Array.from({ length: count }, (_, i) => requests[i % requests.length]);

/** Mostly reads, some writes, searches, lists and histories. */
export const mixed = (entries) => [
  ...times(60, readEntry),
  ...times(15, writeEntries()),
  ...times(12, searchRare(entries)),
  ...times(8, listFolder),
  ...times(5, readHistory),
];

import { commonQueries, HISTORIES, newEntries, rareQueries } from './corpus.mjs';
import { newRun } from './harness.mjs';

/** What the figures ask for, as texts with holes (see load/templates.mjs). */
export const readEntry = [{ method: 'GET', path: '/api/v1/entries/bench/p{g}/k{r}' }];

export const writeEntries = () =>
  newEntries(newRun()).map((body) => ({ method: 'POST', path: '/api/v1/entries', body }));

export const listFolder = [{ method: 'GET', path: '/api/v1/entries?entity_path=bench/p{g}&limit=100' }];

export const listRecent = [{ method: 'GET', path: '/api/v1/entries?sort=recent&limit=100' }];

export const readHistory = Array.from({ length: HISTORIES }, (_, i) => ({
  method: 'GET',
  path: `/api/v1/entries/bench/history/h${i}/history?limit=50`,
}));

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

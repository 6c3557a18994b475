import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'vitest';
import { runSql } from '../../support/app.ts';
import type { HttpClient } from './client.ts';
import { type Acknowledged, wordFor } from './workload.ts';

/** The location of a store, for the program and for direct queries on its tables. */
export type StoreAccess = { env: Record<string, string>; rows<T>(text: string): Promise<T[]> };

export const folderStore = (folder: string): StoreAccess => ({
  env: { MEM_DATA_DIR: folder },
  async rows<T>(text: string) {
    const database = new DatabaseSync(join(folder, 'mem.db'), { readOnly: true });
    try {
      database.exec('PRAGMA busy_timeout = 5000');
      return database.prepare(text).all() as T[];
    } finally {
      database.close();
    }
  },
});

export const postgresStore = (dsn: string, folder: string): StoreAccess => ({
  env: { MEM_POSTGRES_DSN: dsn, MEM_DATA_DIR: folder },
  rows: async <T>(text: string) => (await runSql(dsn, text)).rows as T[],
});

type StoredVersionAnswer = {
  entity_path: string;
  key: string;
  version: number;
  value: unknown;
  deleted: boolean;
  commit_id: string | null;
  seq: number;
};
type LogEventAnswer = Pick<StoredVersionAnswer, 'seq' | 'version'> & {
  event_type: string;
  entity_path: string | null;
  key: string | null;
};

type VersionPlace = Pick<StoredVersionAnswer, 'entity_path' | 'key' | 'version'>;

const versionText = ({ entity_path, key, version }: VersionPlace) => `${entity_path} ${key} ${version}`;

/** The whole log, page by page. */
async function readLog(client: HttpClient): Promise<LogEventAnswer[]> {
  const events: LogEventAnswer[] = [];
  for (let more = true; more; ) {
    const { json } = await client.get(`/api/v1/log?after=${events.at(-1)?.seq ?? 0}&limit=1000`);
    events.push(...json.events);
    more = json.has_more;
  }
  return events;
}

async function readHistory(
  client: HttpClient,
  at: { entity_path: string; key: string },
): Promise<StoredVersionAnswer[]> {
  const versions: StoredVersionAnswer[] = [];
  const query = `entity_path=${encodeURIComponent(at.entity_path)}&key=${encodeURIComponent(at.key)}&limit=1000`;
  for (let cursor = ''; ; ) {
    const { json } = await client.get(`/api/v1/history?${query}${cursor}`);
    versions.push(...json.versions);
    if (!json.has_more) return versions;
    cursor = `&cursor=${json.next_cursor}`;
  }
}

/** What is there now, page by page. */
async function readCurrent(client: HttpClient): Promise<StoredVersionAnswer[]> {
  const entries: StoredVersionAnswer[] = [];
  for (let cursor = ''; ; ) {
    const { json } = await client.get(`/api/v1/entries?limit=1000${cursor}`);
    entries.push(...json.entries.map((entry: object) => ({ ...entry, deleted: false })));
    if (!json.has_more) return entries;
    cursor = `&cursor=${json.next_cursor}`;
  }
}

/** Every version of the entries in the log. Of an entry that was written once, the list shows it; others are asked for. */
async function readVersions(
  client: HttpClient,
  events: readonly LogEventAnswer[],
): Promise<Map<string, StoredVersionAnswer>> {
  const found = await readCurrent(client);
  const versions = new Map(found.map((version) => [versionText(version), version]));
  const written = events.filter(({ key }) => key !== null) as VersionPlace[];
  const places = new Map(written.map((place) => [`${place.entity_path} ${place.key}`, place]));
  const waiting = [...places.values()].filter((place) => place.version > 1 || !versions.has(versionText(place)));
  const reader = async () => {
    for (let at = waiting.pop(); at; at = waiting.pop())
      for (const version of await readHistory(client, at)) versions.set(versionText(version), version);
  };
  await Promise.all([reader(), reader(), reader(), reader()]);
  return versions;
}

/** The log and all versions, as a client sees them. */
export type StoreContents = { events: LogEventAnswer[]; versions: Map<string, StoredVersionAnswer> };

export async function readContents(client: HttpClient): Promise<StoreContents> {
  const events = await readLog(client);
  return { events, versions: await readVersions(client, events) };
}

/** Every acknowledged write is stored as it was acknowledged. */
export function expectAll({ versions }: StoreContents, acknowledged: readonly Acknowledged[]): void {
  const lost = acknowledged.filter((wanted) => {
    const found = versions.get(versionText(wanted));
    if (!found || found.deleted !== wanted.deleted) return true;
    if (wanted.deleted) return false;
    return JSON.stringify(found.value) !== JSON.stringify(wanted.value) || found.commit_id !== wanted.commit_id;
  });
  expect(lost).toEqual([]);
  expect(new Set(acknowledged.map(versionText)).size).toBe(acknowledged.length);
}

/** Statements that must return no rows. */
const CONTRADICTIONS: Record<string, string> = {
  'a gap in the log': `SELECT a.seq FROM accounts a
    WHERE a.seq <> (SELECT count(*) FROM events e WHERE e.account_id = a.account_id)
       OR a.seq <> (SELECT coalesce(max(seq), 0) FROM events e WHERE e.account_id = a.account_id)`,
  'a gap in the audit trail': `SELECT a.audit_no FROM accounts a
    WHERE a.audit_no <> (SELECT count(*) FROM audit x WHERE x.account_id = a.account_id)
       OR a.audit_no <> (SELECT coalesce(max(no), 0) FROM audit x WHERE x.account_id = a.account_id)`,
};

/** No write is half done: the tables are consistent with each other, and the service reports no problems. */
export async function expectWhole(store: StoreAccess, client: HttpClient, contents: StoreContents): Promise<void> {
  for (const [problem, text] of Object.entries(CONTRADICTIONS)) expect(await store.rows(text), problem).toEqual([]);
  if (store.env.MEM_POSTGRES_DSN === undefined)
    expect(await store.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  const verified = (await client.post('/api/v1/verify', { limit: 100_000 })).json;
  expect(verified).toMatchObject({ corrupted: [], chain_breaks: [], has_more: false });
  expect(verified.valid).toBe(verified.total_checked);
  expectPaired(contents);
  await expectCommits(client, contents);
  await expectCounts(store, client);
}

/** Every version has its event and every event its version, under one number. */
function expectPaired({ events, versions }: StoreContents): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  const written = events.filter(({ event_type }) => event_type !== 'commit') as (LogEventAnswer &
    StoredVersionAnswer)[];
  const unpaired = written.filter((event) => versions.get(versionText(event))?.seq !== event.seq);
  expect(unpaired).toEqual([]);
  expect(versions.size).toBe(written.length);
}

async function expectCommits(client: HttpClient, { versions }: StoreContents): Promise<void> {
  const sizes = new Map<string, number>();
  for (const { commit_id } of versions.values())
    if (commit_id !== null) sizes.set(commit_id, (sizes.get(commit_id) ?? 0) + 1);
  for (let cursor = ''; ; ) {
    const { json } = await client.get(`/api/v1/commits?limit=1000${cursor}`);
    for (const { commit_id, entries_written } of json.commits) {
      expect(sizes.get(commit_id), `the versions of commit ${commit_id}`).toBe(entries_written);
      sizes.delete(commit_id);
    }
    if (!json.has_more) break;
    cursor = `&cursor=${json.next_cursor}`;
  }
  expect([...sizes.keys()], 'versions of commits that are not there').toEqual([]);
}

/** The stored counts equal the counted rows. */
async function expectCounts(store: StoreAccess, client: HttpClient): Promise<void> {
  const [counted] = await store.rows<Record<string, number | string>>(
    `SELECT count(*) AS total_entries, count(DISTINCT entity_path) AS total_entities, count(DISTINCT agent_id) AS total_agents
     FROM entries WHERE deleted = 0`,
  );
  const expected = Object.fromEntries(Object.entries(counted ?? {}).map(([name, n]) => [name, Number(n)]));
  expect((await client.get('/api/v1/stats')).json).toMatchObject(expected);
  const paths = await store.rows<{ entity_path: string; entry_count: number | string }>(
    'SELECT entity_path, count(*) AS entry_count FROM entries WHERE deleted = 0 GROUP BY entity_path',
  );
  const byPath = Object.fromEntries(paths.map((row) => [row.entity_path, Number(row.entry_count)]));
  expect(await readPathCounts(client)).toEqual(byPath);
}

async function readPathCounts(client: HttpClient): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let cursor = ''; ; ) {
    const { json } = await client.get(`/api/v1/entities?limit=1000${cursor}`);
    for (const { entity_path, entry_count } of json.entities) counts[entity_path] = entry_count;
    if (!json.has_more) return counts;
    cursor = `&cursor=${json.next_cursor}`;
  }
}

/** Words of acknowledged writes are found, unless something newer was written over them. */
export async function expectFound(client: HttpClient, acknowledged: readonly Acknowledged[]): Promise<void> {
  const newest = new Map<string, Acknowledged>();
  for (const one of acknowledged) {
    const name = `${one.entity_path} ${one.key}`;
    if ((newest.get(name)?.version ?? 0) < one.version) newest.set(name, one);
  }
  const candidates = [...newest.values()].filter((one) => !one.deleted && one.entity_path.startsWith('load/'));
  const step = Math.max(1, Math.floor(candidates.length / 20));
  for (const one of candidates.filter((_, i) => i % step === 0)) {
    const at = `entity_path=${encodeURIComponent(one.entity_path)}&key=${encodeURIComponent(one.key)}`;
    const versionNow = async () => (await client.get(`/api/v1/entry?${at}`)).json.version;
    // A request that broke may have been carried out after the last one that was acknowledged.
    if ((await versionNow()) !== one.version) continue;
    const { id } = one.value as { id: string };
    const { entries } = (await client.post('/api/v1/search', { query: wordFor(id) })).json;
    const found = entries.map((entry: Acknowledged) => [entry.entity_path, entry.key]);
    // While the load goes on, it may have been replaced before the search.
    if (found.length === 0 && (await versionNow()) !== one.version) continue;
    expect(found).toContainEqual([one.entity_path, one.key]);
  }
}

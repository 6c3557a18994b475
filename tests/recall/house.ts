import { type EmbeddingServer, SELF_HOSTED_ACCOUNT, type Settings } from '../../packages/server/src/kernel/index.ts';
import type { TestApp } from '../support/app.ts';
import type { ModelServer } from '../support/model-server.ts';

export const A = { agent_id: 'agent/a' };
export const B = { agent_id: 'agent/b' };
export const KEY = 'sk-a-key-that-nobody-may-see';

/** Settings with a model of the server; `more` changes them. */
export const settingsFor = (models: ModelServer, more: Partial<EmbeddingServer> = {}): Partial<Settings> => ({
  embedder: 'openai',
  embedding_server: {
    ...{ url: `${models.url}/v1/embeddings`, model: 'small', key: KEY, dimensions: null },
    ...{ batch: 4, timeout_ms: 2_000, tokens_per_minute: null, ...more },
  },
});

const memories: [key: string, value: string][] = [
  ['teeth', 'The dentist is in Mill Street.'],
  ['ride', 'The bicycle is in the cellar.'],
  ['lamp', 'The lamp in the hall is broken.'],
  ['bread', 'Bread is baked on Fridays.'],
  ['rent', 'The rent is paid on the first.'],
  ['door', 'The back door sticks in winter.'],
];

export const write = (app: TestApp, key: string, value: string) => writeAs(app, { key, value }, A);
export const writeAs = (app: TestApp, entry: { key: string; value: string; shared?: boolean }, as: object) =>
  app.call('entries.write', { entity_path: 'house', ...entry }, as);

export async function fillHouse(app: TestApp, as: object = A): Promise<void> {
  for (const [key, value] of memories) await writeAs(app, { key, value }, as);
}

export const ask = (app: TestApp, query: string, more: object = {}) =>
  app.call('entries.retrieve', { query, ...more }, A);

export const consumerOf = async (app: TestApp, name: string) =>
  (await app.call('consumers.list', {}, A)).consumers.find(({ consumer }) => consumer === name);

/** How many vectors of all embedders an entry has; of all entries without a key. */
export async function vectorsOf(app: TestApp, key?: string): Promise<number> {
  const { read } = app.kernel.services.database.forAccount(SELF_HOSTED_ACCOUNT);
  const rows = await read.all<{ key: string }>({
    text: `SELECT entries.key FROM entry_vectors JOIN entries ON entries.account_id = entry_vectors.account_id
      AND entries.entry_id = entry_vectors.entry_id WHERE entry_vectors.account_id = ?`,
    values: [SELF_HOSTED_ACCOUNT],
  });
  return rows.filter((row) => key === undefined || row.key === key).length;
}

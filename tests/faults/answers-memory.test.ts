import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OperationName, operations } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldsOf, type JsonObject, markedInput } from '../contract/table.ts';
import { backends } from '../support/app.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { addresses, type OperationAddress, requestFor } from '../support/wire.ts';
import { HttpClient } from './support/client.ts';
import { memProgram, startMem } from './support/mem-process.ts';
import { folderStore, postgresStore, type StoreAccess } from './support/store.ts';

const HEAP_MB = 128;
/** Of the whole process: heap, threads, buffers and program. */
const MOST_MB = 400;
const VALUES = 12;
const PER_COMMIT = 6;
/** The largest that is legal, as JSON. */
const value = 'x'.repeat(1024 * 1024 - 2);
const session = { 'x-mem-agent-id': 'agent/large', 'x-mem-session-id': 'large' };

const keyOf = (i: number) => `k${String(i).padStart(3, '0')}`;

/** What an example has to name to be about the largest values. */
function largest(name: OperationName, example: JsonObject): JsonObject {
  const fields = fieldsOf(name);
  const given: JsonObject = { ...example };
  if ('entity_path' in fields) given.entity_path = 'large';
  if ('key' in fields && 'key' in given) given.key = keyOf(0);
  if ('limit' in fields) given.limit = 1000;
  if ('query' in fields) delete given.query;
  if ('agent_id' in fields && 'agent_id' in given) given.agent_id = 'agent/large';
  return given;
}

const isAlias = ({ name, route }: OperationAddress) => route.path !== operations[name].http.path;

const peakMb = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

describe.runIf(process.platform === 'linux')('the memory that answers take', () => {
  let postgres: PostgresServer;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mem-answers-'));
    await memProgram();
    postgres = await startPostgres();
  });
  afterAll(async () => {
    await postgres.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const store = (backend: 'sqlite' | 'postgres'): StoreAccess =>
    backend === 'sqlite' ? folderStore(join(folder, backend)) : postgresStore(postgres.dsn, folder);

  it.each(backends)(
    'is bounded for every read of the table over the largest values, on %s',
    async (backend) => {
      const env = { ...store(backend).env, NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` };
      const mem = await startMem(env);
      const client = new HttpClient(mem.url);
      for (let from = 0; from < VALUES; from += PER_COMMIT) {
        const keys = Array.from({ length: PER_COMMIT }, (_, i) => keyOf(from + i));
        const writes = keys.map((key) => ({ entity_path: 'large', key, value }));
        expect((await client.call('POST', '/api/v1/commits', { body: { writes }, headers: session })).status).toBe(201);
      }
      for (let i = 0; i < VALUES; i++) {
        const read = await client.call('GET', `/api/v1/entries/large/${keyOf(i)}`, { headers: session });
        expect(read.status).toBe(200);
      }
      const asked = Array.from({ length: 8 }, () => client.get('/api/v1/entries?limit=480'));
      for (const { status, json } of await Promise.all(asked)) expect([status, json.has_more]).toEqual([200, true]);
      for (const address of addresses) {
        if (operations[address.name].effect !== 'read' || operations[address.name].stream || isAlias(address)) continue;
        const { method, path, body } = requestFor(address, largest(address.name, markedInput(address.name, 'large')));
        const sent = body === undefined ? {} : { body: JSON.parse(body) };
        const two = Array.from({ length: 2 }, () => client.call(method, path, { ...sent, headers: session }));
        for (const { status } of await Promise.all(two)) expect(status, address.name).toBeLessThan(500);
      }
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const next = cursor === '' ? '' : `&cursor=${cursor}`;
        const { json } = await client.get(`/api/v1/entries?limit=480${next}`);
        found.push(...json.entries.map(({ key }: { key: string }) => key));
        cursor = json.next_cursor;
      }
      expect(found).toEqual(Array.from({ length: VALUES }, (_, i) => keyOf(i)));
      expect(peakMb(mem.pid)).toBeLessThan(MOST_MB);
      expect(await mem.stop()).toEqual({ code: 0, signal: null });
    },
    60_000,
  );
});

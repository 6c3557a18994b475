import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../packages/server/src/db/index.ts';
import { type Backend, backends, newPlace, openTestApp, readyPlace, type TestApp } from '../support/app.ts';
import { watchDatabase } from '../support/statements.ts';
import { rowsOf } from './support.ts';

const MARK = 'zqvxpersonalsecret7341';
/** An index keeps what a word does not share with the one before it, so the end of the mark is looked for too. */
const TRACES = [MARK, MARK.slice(-12)];

const glob = 'people/**';

async function writeAndErase(app: TestApp, rounds = 9) {
  const write = (i: number, value: unknown, more: object = {}) =>
    app.call('entries.write', { entity_path: `people/${MARK}${i % 5}`, key: `${MARK}-key-${i}`, value, ...more });
  const noise = (i: number) =>
    app.call('entries.write', { entity_path: 'noise', key: `n${i}`, value: { text: `filler ${i}` } });
  for (let i = 0; i < rounds; i++) {
    const as = { idempotency_key: `request ${i}` };
    await app.call('entries.write', { entity_path: `people/${MARK}`, key: `${MARK} ${i}`, value: MARK }, as);
    await write(
      i,
      { mail: `${MARK}@example.org`, note: MARK.repeat(i % 3 === 0 ? 900 : 1) },
      { pattern_refs: [`${MARK}-ref`] },
    );
    await noise(i);
    await write(i, `${MARK} again ${i} ${'long '.repeat(i * 40)}`);
    if (i % 4 === 0)
      await app.call('entries.delete', { entity_path: `people/${MARK}${i % 5}`, key: `${MARK}-key-${i}` });
  }
  await app.call('commits.create', {
    message: `for ${MARK}`,
    writes: [{ entity_path: `people/${MARK}`, key: 'committed', value: [MARK], pattern_refs: [`${MARK}-ref`] }],
  });
  for (let i = 0; i < rounds; i++) await noise(i + 8);
  await app.call('entries.erase', { entity_path: glob });
  await app.jobs.sweep();
}

function tracesIn(directory: string): string[] {
  return readdirSync(directory).flatMap((file) => {
    const bytes = readFileSync(join(directory, file)).toString('latin1').toLowerCase();
    return TRACES.filter((trace) => bytes.includes(trace)).map((trace) => `${trace} in ${file}`);
  });
}

/** A store that fails with every statement that holds a text. */
function refusing(database: Database, text: string): Database {
  return watchDatabase(database, (statement) => {
    if (statement.text.includes(text)) throw new Error('refused');
  });
}

async function withPlace(backend: Backend, use: (app: TestApp, dataDir: string) => Promise<void>) {
  const place = await readyPlace(backend);
  const app = await openTestApp(backend, { place });
  try {
    await use(app, place.options.dataDir);
  } finally {
    await app.close().catch(() => {});
    await place.remove();
  }
}

describe('what is left of erased entries', () => {
  it.each([5, 16, 33])('in the files of SQLite: nothing, once the erasure was compacted (%i rounds)', (rounds) =>
    withPlace('sqlite', async (app, dataDir) => {
      await writeAndErase(app, rounds);
      expect(tracesIn(dataDir)).toEqual([]);
      await app.close();
      expect(tracesIn(dataDir)).toEqual([]);
    }),
  );

  it('in the files of SQLite: nothing, also when the process that erased ended before it had compacted', async () => {
    const [place, crashed] = [await readyPlace('sqlite'), await newPlace('sqlite')];
    try {
      const failing = (database: Database) => refusing(database, `'merge'`);
      const first = await openTestApp('sqlite', { place, wrapDatabase: failing });
      await writeAndErase(first);
      // As a process leaves them that is killed: one that is closed leaves nothing.
      cpSync(place.options.dataDir, crashed.options.dataDir, { recursive: true });
      await first.close();
      expect(tracesIn(crashed.options.dataDir)).not.toEqual([]);
      const second = await openTestApp('sqlite', { place: crashed });
      await second.jobs.sweep();
      await second.close();
      expect(tracesIn(crashed.options.dataDir)).toEqual([]);
    } finally {
      await place.remove();
      await crashed.remove();
    }
  });

  it.each(backends)('in the tables on %s: nothing', (backend) =>
    withPlace(backend, async (app) => {
      await writeAndErase(app);
      const tables = ['accounts', 'audit', 'commits', 'counts', 'entries', 'events', 'stored_answers', 'versions'];
      for (const table of tables) {
        const rows = JSON.stringify(await rowsOf(app, `SELECT * FROM ${table}`)).toLowerCase();
        expect(TRACES.filter((trace) => rows.includes(trace)).map((trace) => `${trace} in ${table}`)).toEqual([]);
      }
    }),
  );

  it('in the audit trail: that something was done by whom, and which erasure took its name', () =>
    withPlace('sqlite', async (app) => {
      await app.call('entries.write', { entity_path: 'people/one', key: 'k', value: 1 });
      await app.call('entries.write', { entity_path: 'other', key: 'k', value: 1 });
      const { receipt_id } = await app.call('entries.erase', { entity_path: glob });
      const rows = await rowsOf(app, 'SELECT action, resource, agent_id FROM audit ORDER BY no');
      expect(rows).toEqual([
        { action: 'entries.write', resource: `erased ${receipt_id}`, agent_id: 'agent/test' },
        { action: 'entries.write', resource: 'other/k', agent_id: 'agent/test' },
        { action: 'entries.erase', resource: glob, agent_id: 'agent/test' },
      ]);
    }));
});

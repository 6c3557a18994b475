import {
  branchOf,
  changed,
  EntrySet,
  entriesIn,
  findEntriesByNumber,
  findVersions,
  hashedBy,
  type Module,
  reads,
  sql,
  versionsIn,
  writes,
} from '@mem-service/server/module';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

type FoundEntry = { entry_id: number; version: number; key: string };

/** Stands in for the module `tags`: writes an entry for each, and lists the entries as it sees them. */
const standIn: Module = {
  name: 'stand_in',
  migrations: [],
  handlers: {
    'tags.create': writes<'tags.create'>(async (work, { input, caller, lineage }) => {
      const at = { branch: branchOf({ lineage }), entity_path: 'tags', key: input.name };
      const { agent_id, session_id } = caller;
      const entries = await EntrySet.load(work, [at]);
      const { entry } = entries.apply({ ...at, agent_id, session_id, value: JSON.stringify(input.description) });
      await entries.save();
      const output = { name: input.name, version: entry.version } as never;
      return changed(output, { resource: input.name, ...hashedBy({ version: entry.version }) });
    }),
    'tags.list': reads<'tags.list'>(async ({ caller, read, view }) => {
      const found = await read.all<FoundEntry>(sql`SELECT entry_id, version, key FROM ${entriesIn(view)} ORDER BY key`);
      const versions = await read.all(sql`SELECT versions.version FROM ${versionsIn(view)}`);
      const facts = await findVersions(read, caller.account_id, found);
      const entries = await findEntriesByNumber(read, caller.account_id, found);
      return {
        keys: found.map(({ key }) => key),
        versions: versions.length,
        authors: facts.map((one) => one?.agent_id),
        paths: entries.map((one) => one?.entity_path),
      } as never;
    }),
  },
};

describe.each(backends)('a module made of what the server offers on %s', (backend) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await openTestApp(backend, { modules: [standIn] });
  });
  afterEach(() => app.close());

  it('reads entries and writes them', async () => {
    await app.call('entries.write', { entity_path: 'a', key: 'plain', value: 1 });
    await app.call(
      'entries.write',
      { entity_path: 'a', key: 'secret', value: 1, shared: false },
      { agent_id: 'other' },
    );
    expect(await app.call('tags.create', { name: 'v1', description: 'first' })).toMatchObject({ version: 1 });
    expect(await app.call('tags.create', { name: 'v1', description: 'second' })).toMatchObject({ version: 2 });
    expect(await app.call('entries.read', { entity_path: 'tags', key: 'v1' })).toMatchObject({ value: 'second' });
    expect(await app.call('tags.list', {})).toEqual({
      keys: ['plain', 'v1'],
      versions: 4,
      authors: ['agent/test', 'agent/test'],
      paths: ['a', 'tags'],
    });
  });
});

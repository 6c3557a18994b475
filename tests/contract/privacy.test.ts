import type { OperationName } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Backend, backends, indexWords, openTestApp, type TestApp } from '../support/app.ts';
import { dump } from './dump.ts';
import type { Question } from './table.ts';
import {
  addressesOf,
  reading as anyReading,
  countedIds,
  createExamples,
  definition,
  fieldsOf,
  isOfRooms,
  type JsonObject,
  markedInput,
  outcomeOf,
  wholePage,
  withoutPlaces,
  writing,
} from './table.ts';

/**
 * Admins see the account as a whole. Fixes have a branch that everyone sees, and rooms have entries of their own; what is private
 * there is tested with their modules.
 */
const reading = anyReading.filter((name) => !definition(name).admin && !name.startsWith('fixes.') && !isOfRooms(name));

/** Bring all of a branch to another one, with what the caller does not see. */
const CARRYING: readonly OperationName[] = ['branches.merge', 'branches.refresh'];

const X = { agent_id: 'agent/x' };
const Y = { agent_id: 'agent/y' };
const SECRET = 'xanadumark';
const OPEN = 'yellowmark';

/** In one store X keeps everything to itself; in the other X never wrote. Y must not be able to tell them apart. */
async function openStores(backend: Backend) {
  const hiding = await openTestApp(backend, { ids: countedIds().ids });
  const empty = await openTestApp(backend, { ids: countedIds().ids });
  for (const app of [hiding, empty])
    await createExamples(app, { mark: OPEN, as: Y, without_open_entries: true, without_rooms: true });
  const known = await createExamples(hiding, {
    mark: SECRET,
    as: X,
    extra: { shared: false },
    without_open_entries: true,
    without_rooms: true,
  });
  // Things without an entry are visible to all.
  await createExamples(empty, {
    mark: SECRET,
    as: X,
    only_open: true,
    without_open_entries: true,
    without_rooms: true,
  });
  return {
    hiding,
    empty,
    known,
    async lookAsY(name: OperationName, { commit_id, ...rest }: JsonObject) {
      const input = { ...rest, ...(commit_id === undefined ? {} : { commit_id: known.commit_id }) };
      // What follows the log is as far in both stores: it goes on by itself while the test looks.
      for (const app of [hiding, empty]) {
        await app.kernel.services.noteBuffer.flushAll();
        await app.kernel.services.consumers.drain();
        await indexWords(app);
      }
      const seen = withoutPlaces(await outcomeOf(hiding, name, { input, as: Y }));
      expect(seen).toEqual(withoutPlaces(await outcomeOf(empty, name, { input, as: Y })));
      expect(JSON.stringify(seen)).not.toContain(`about ${SECRET}`);
      expect(JSON.stringify(seen)).not.toContain(`pattern-${SECRET}`);
    },
    close: () => Promise.all([hiding.close(), empty.close()]),
  };
}

const looks = reading.flatMap((name): Question[] => {
  const input = markedInput(name, SECRET);
  const found: Question[] = [[name, 'at its place', wholePage(name, input)]];
  if ('entity_path' in input && !('key' in input)) found.push([name, 'everywhere', { ...input, entity_path: '*' }]);
  if ('query' in input) found.push([name, 'by filters', { entity_path: `${SECRET}/**` }]);
  if ('cursor' in fieldsOf(name)) found.push([name, 'page by page', { ...input, limit: 1 }]);
  const fields = fieldsOf(name);
  if ('version' in fields) found.push([name, 'by version', { ...input, version: 1 }]);
  if ('as_of' in fields) found.push([name, 'at a time', { ...input, as_of: '2026-06-01T00:00:00Z' }]);
  if ('old_version' in fields) found.push([name, 'of two versions', { ...input, old_version: 1, new_version: 2 }]);
  return found;
});

describe.each(backends)('entries that are not shared, on %s', (backend) => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  beforeAll(async () => {
    stores = await openStores(backend);
  });
  afterAll(() => stores.close());

  it.each(looks)('%s %s shows another agent nothing of them', async (name, _, input) => {
    await stores.lookAsY(name, input);
  });

  it.each(reading)('%s shows another agent what is its own, as if nothing were hidden', async (name) => {
    await stores.lookAsY(name, wholePage(name, markedInput(name, OPEN)));
  });

  it.each(reading)('%s shows them to their author', async (name) => {
    const input = markedInput(name, SECRET, stores.known);
    expect(await outcomeOf(stores.hiding, name, { input, as: X })).not.toHaveProperty('refused');
  });

  it.each(writing)('%s by another agent leaves them as they are', async (name) => {
    const ofX = async () => {
      const { entries = [], versions = [], counts = [] } = await dump(stores.hiding);
      // A merge carries them to another branch unseen: they are counted there too, and all else is as it was.
      const kept = CARRYING.includes(name) ? [...entries, ...versions] : [...entries, ...versions, ...counts];
      return kept.filter((line) => line.includes('agent/x'));
    };
    const before = await ofX();
    expect(before.length).toBeGreaterThan(0);
    const input = markedInput(name, SECRET, stores.known);
    const outcome = await outcomeOf(stores.hiding, name, { input, as: Y });
    const after = await ofX();
    if (CARRYING.includes(name)) expect(after).toEqual(expect.arrayContaining(before));
    else expect(after).toEqual(before);
    expect(JSON.stringify(outcome)).not.toContain(`about ${SECRET}`);
  });
});

describe.each(backends)('entries that are gone and were not shared, on %s', (backend) => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  beforeAll(async () => {
    stores = await openStores(backend);
  });
  afterAll(() => stores.close());

  it('are as hidden as before when they were deleted', async () => {
    for (const at of addressesOf(SECRET)) await stores.hiding.call('entries.delete', at, X);
    for (const [name, , input] of looks) await stores.lookAsY(name, input);
  });

  it('are as hidden as before when they have expired, before the sweep and after it', async () => {
    const expiring = { value: { max_attempts: 1, note: `about ${SECRET}` }, shared: false, ttl_seconds: 1 };
    for (const at of addressesOf(SECRET)) await stores.hiding.call('entries.write', { ...at, ...expiring }, X);
    for (const app of [stores.hiding, stores.empty]) app.clock.advance(5000);
    for (const [name, , input] of looks) await stores.lookAsY(name, input);
    for (const app of [stores.hiding, stores.empty]) await app.jobs.sweep();
    for (const [name, , input] of looks) await stores.lookAsY(name, input);
  });
});

describe.each(backends)('an entry that was shared once, on %s', (backend) => {
  let app: TestApp;
  const at = { entity_path: 'plans', key: 'next' };
  beforeAll(async () => {
    app = await openTestApp(backend);
    await app.call('entries.write', { ...at, value: 'told to all' }, X);
    await app.call('entries.write', { ...at, value: 'kept back', shared: false }, X);
  });
  afterAll(() => app.close());

  it('shows other agents the versions that were shared and no others', async () => {
    const history = await app.call('entries.history', at, Y);
    expect(history.versions.map(({ version }) => version)).toEqual([1]);
    expect(history.version_count).toBe(1);
    await expect(app.call('entries.read', at, Y)).rejects.toMatchObject({ code: 'not_found' });
    expect(await app.call('entries.read', { ...at, version: 1 }, Y)).toMatchObject({ value: 'told to all' });
    await expect(app.call('entries.read', { ...at, version: 2 }, Y)).rejects.toMatchObject({ code: 'not_found' });
    expect((await app.call('entries.list', { entity_path: 'plans' }, Y)).entries).toEqual([]);
  });

  it('does not show other agents how many versions it has', async () => {
    const refusal = await outcomeOf(app, 'entries.diff', { input: at, as: Y });
    expect(JSON.stringify(refusal)).not.toMatch(/version [1-9]/);
  });
});

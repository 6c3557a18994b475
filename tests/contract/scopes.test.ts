import { type OperationName, operations, parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller, Principal } from '../../packages/server/src/kernel/index.ts';
import { type Backend, backends, indexWords, openTestApp } from '../support/app.ts';
import type { Question } from './table.ts';
import {
  countedIds,
  createExamples,
  definition,
  fieldsOf,
  type JsonObject,
  type KnownIds,
  markedInput,
  newInput,
  nthInput,
  outcomeOf,
  reading,
  wholePage,
  withoutPlaces,
  writing,
} from './table.ts';

const IN = 'insidemark';
const OUT = 'outsidemark';
/** Who wrote inside, who wrote outside, and who never did anything. */
const [Y, X, Z] = [{ agent_id: 'agent/y' }, { agent_id: 'agent/x' }, { agent_id: 'agent/z' }];

const scope = [[parseGlob(`${IN}/**`) as never]];
const key: Principal = { key_id: 'k1', name: 'scoped', type: 'admin', read: scope, write: scope };

/** Ids of what is laid outside, and of what questions make: beyond all that were given before, whose ids are aligned. */
const [FIRST_OUTSIDE, FIRST_ASKED] = [10_000_000, 100_000_000];

/** One store holds something outside of the scope, the other does not. The answers to the key must be the same. */
async function openStores(backend: Backend) {
  const ids = [countedIds(), countedIds()] as const;
  const full = await openTestApp(backend, { ids: ids[0].ids });
  const inside = await openTestApp(backend, { ids: ids[1].ids });
  const apps = [full, inside];
  let known: KnownIds = {};
  for (const app of apps) known = await createExamples(app, { mark: IN, as: Y });
  for (const one of ids) one.startAt(FIRST_OUTSIDE);
  const outside = await createExamples(full, { mark: OUT, as: X });
  // Things without a path are visible to every key.
  await createExamples(inside, { mark: OUT, as: X, only_open: true });
  let next = FIRST_ASKED;
  return {
    known,
    outside,
    async look(name: OperationName, input: JsonObject, as: Partial<Caller> = Y) {
      next += 1000;
      // What follows the log is as far in both stores: it goes on by itself while the test looks.
      for (const app of apps) {
        await app.kernel.services.noteBuffer.flushAll();
        await app.kernel.services.consumers.drain();
        await indexWords(app);
      }
      for (const one of ids) one.startAt(next);
      const seen = [];
      for (const app of apps) {
        seen.push(withoutPlaces(await outcomeOf(app, name, { input, as: { ...as, key } })));
      }
      expect(seen[0]).toEqual(seen[1]);
      return seen[0] as JsonObject;
    },
    /** In both, as reads are counted; what is seen in the full one. */
    async lookInFull(name: OperationName, input: JsonObject, as: Partial<Caller>) {
      const [seen] = await Promise.all(apps.map((app) => outcomeOf(app, name, { input, as: { ...as, key } })));
      return seen;
    },
    close: () => Promise.all([full.close(), inside.close()]),
  };
}

/** The outcomes that were laid with a mark. */
const outcomesOf = (mark: string): string[] =>
  writing.flatMap((name) => [1, 2].flatMap((n) => (nthInput(name, n, { mark }).outcome_ref ?? []) as string[]));

/** The same question, as widely as it can be asked. */
function waysOf(name: OperationName, mark: string, known: KnownIds): Question[] {
  const input = markedInput(name, mark, known);
  const found: Question[] = [[name, 'at its place', wholePage(name, input)]];
  if ('entity_path' in fieldsOf(name) && !('key' in input))
    found.push([name, 'everywhere', { ...input, entity_path: '*' }]);
  if ('query' in input) found.push([name, 'by filters', { entity_path: `${mark}/**` }], [name, 'by nothing', {}]);
  if ('cursor' in fieldsOf(name)) found.push([name, 'page by page', { ...input, limit: 1 }]);
  if (operations[name].stream) found.push([name, 'from the beginning', { after: 0 }]);
  if ('entity' in fieldsOf(name))
    for (const entity of [Y.agent_id, X.agent_id, `pattern-${mark}`, ...outcomesOf(mark)])
      found.push([name, `of ${entity}`, { entity, depth: 3 }]);
  if ('agent_id' in fieldsOf(name))
    for (const { agent_id } of [X, Y]) found.push([name, `of ${agent_id}`, { ...input, agent_id }]);
  return found;
}

const looks = (mark: string) =>
  reading.flatMap((name) => waysOf(name, mark, {}).map(([, how]) => [name, how] as const));

describe.each(backends)('what lies outside of the scopes of a key, on %s', (backend) => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  beforeAll(async () => {
    stores = await openStores(backend);
  });
  afterAll(() => stores.close());

  const lookAt = async (name: OperationName, how: string, mark: string) => {
    const known = mark === IN ? stores.known : stores.outside;
    const [, , input] = waysOf(name, mark, known).find((way) => way[1] === how) as Question;
    for (const as of [Y, Z]) {
      const seen = await stores.look(name, input, as);
      expect(JSON.stringify(seen)).not.toContain(`about ${OUT}`);
      // The answer repeats the input.
      if (!JSON.stringify(input).includes('pattern')) expect(JSON.stringify(seen)).not.toContain(`pattern-${OUT}"`);
    }
  };

  it.each(looks(IN))('%s %s shows what lies inside as if there were nothing else', async (name, how) => {
    await lookAt(name, how, IN);
  });

  it.each(looks(OUT))('%s %s shows nothing of it, by its own names', async (name, how) => {
    await lookAt(name, how, OUT);
  });

  it.each(reading)('%s shows nothing of it to a caller that goes by the name of its author', async (name) => {
    for (const [, how, input] of waysOf(name, IN, stores.known)) {
      const seen = JSON.stringify(await stores.lookInFull(name, input, X));
      // What it noted in its own session is about no path, though an example may look like one.
      expect(seen.replaceAll(/"source":"[^"]*"/g, ''), how).not.toMatch(new RegExp(`${OUT}/|about ${OUT}|-${OUT}`));
    }
  });

  it.each(reading)('%s is not refused inside', async (name) => {
    const seen = await stores.look(name, markedInput(name, IN, stores.known));
    // Rooms are paths of their own, and the scope has none of them.
    const { needs_full_scope, in_room = 'paths' } = definition(name);
    if (!needs_full_scope && in_room === 'paths') expect(seen).not.toHaveProperty('refused');
  });

  it.each(writing)('%s inside answers as if there were nothing else', async (name) => {
    const seen = await stores.look(name, newInput(name, IN, stores.known));
    expect(JSON.stringify(seen)).not.toContain(OUT);
  });

  it('branches.merge outside is refused with no more than a number', async () => {
    const input = { ...newInput('branches.merge', OUT, stores.outside), dry_run: true };
    const seen = await stores.lookInFull('branches.merge', input, Y);
    expect(seen).toMatchObject({ refused: { code: 'forbidden', outside_scope: expect.any(Number) } });
    expect(JSON.stringify(seen)).not.toContain(OUT);
  });

  it.each(writing.filter((name) => name !== 'branches.merge'))(
    '%s outside is answered the same whether it is there or not',
    async (name) => {
      await stores.look(name, newInput(name, OUT, stores.outside));
    },
  );

  it('is as hidden as before once there was writing on both sides', async () => {
    for (const [name, how] of looks(IN)) await lookAt(name, how, IN);
    for (const [name, how] of looks(OUT)) await lookAt(name, how, OUT);
  });
});

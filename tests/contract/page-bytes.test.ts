import { type EntryKey, type OperationName, operationNames, operations } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { backends, indexWords, openTestApp, type TestApp } from '../support/app.ts';
import { layDocuments } from './documents.ts';
import { layLongBranches } from './long-branches.ts';
import { layLongJudging } from './long-judging.ts';
import { layMany, manyInput } from './many.ts';
import { layLongNegotiations } from './negotiating.ts';
import { layLongRooms } from './rooms.ts';
import { layStaleReaders } from './stale-readers.ts';
import { definition, type JsonObject, type KnownIds, markedInput } from './table.ts';

const MARK = 'bytes';
const COUNT = 12;
const as = { agent_id: `agent/${MARK}`, session_id: 'open' };
/** Fewer than any list of this account has; what a page may have beside them is as much again, a few times over. */
const PAGE_BYTES = 2000;
const MOST_BYTES = 30 * PAGE_BYTES;

const shapeOf = (name: OperationName): object => (operations[name].output as z.ZodObject).shape ?? {};
const isWithinAccount = (name: OperationName) => operations[name].effect === 'read';
const paged = operationNames.filter((name) => isWithinAccount(name) && 'has_more' in shapeOf(name));
const cut = operationNames.filter((name) => isWithinAccount(name) && 'truncated' in shapeOf(name));

/** Lists of problems, of which a sound store has none. */
const PROBLEMS: readonly OperationName[] = ['entries.verify', 'traces.verify', 'audit.verify'];
/** Answers that are more than a page in this account, if nothing cuts them. */
const LONG: readonly OperationName[] = ['graph.neighbors', 'entries.search'];
/** It has up to 1000 steps, each a line of the ledger, and no texts. */
const BOUNDED: readonly OperationName[] = ['entries.confidence'];
const MUCH = 8 * PAGE_BYTES;

/** The longest names and texts, so that a few of everything are more than a page. */
async function layLong(app: TestApp, known: KnownIds): Promise<void> {
  const numbers = Array.from({ length: COUNT }, (_, i) => i);
  const admin = { ...as, key: { key_id: 'k', name: 'k', type: 'admin' as const } };
  const long = (length: number, i: number) => `${'x'.repeat(length - 8)}-${MARK}${String(i).padStart(2, '0')}`;
  const listed = String(markedInput('entities.list', MARK).entity_path ?? MARK).replace(/\/\*+$/, '');
  const writes = numbers.map((i) => ({
    ...{ entity_path: `${listed}/${long(440, i)}`, key: long(240, i), value: i },
    pattern_refs: [long(240, i)],
  }));
  await app.call('commits.create', { writes } as never, as);
  for (const i of numbers) {
    await app.call('commits.create', { writes: [{ ...writes[0], value: -i }], message: long(1000, i) } as never, as);
    await app.call('tags.create', { name: `long-${i}`, description: long(2000, i) } as never, as);
    await app.call('graph.link', { ...named(markedInput('graph.neighbors', MARK)), target: long(800, i) } as never, as);
    const { entity_path, key } = writes[i] as EntryKey;
    await app.call('entries.read', { entity_path, key }, as);
    // Those with an odd number fail.
    const delivery = { ...markedInput('webhooks.receive', MARK), id: `long-${2 * i + 1}` };
    await app.call('webhooks.receive', delivery as never, as);
    await app.call('keys.create', { name: `long-${i}`, entity_paths: [`${long(480, i)}/**`] } as never, admin);
  }
  const documents = { names: numbers.map((i) => `${long(180, i)}.md`), content: () => `${'about it '.repeat(800)}` };
  await layDocuments(app, { as, known }, documents);
  await layLongBranches(app, known, { as, count: COUNT, text: long });
  await layLongJudging(app, known, { as, count: COUNT, text: long });
  await layLongRooms(app, known, { as, count: COUNT, text: long });
  await layLongNegotiations(app, known, { as, count: COUNT, text: long });
  await app.kernel.services.noteBuffer.flushAll();
}

const named = ({ entity }: JsonObject): JsonObject => ({ source: entity, relation: 'needs', target_type: 'outcome' });

/** What the page before says about where the next one begins. */
const nextInput = ({ next_cursor, last_seq }: JsonObject): JsonObject =>
  next_cursor === undefined ? { after: last_seq } : { cursor: next_cursor };

/** The items of a page. */
function itemsOf(answer: JsonObject): unknown[] {
  const lists = Object.values(answer).filter(Array.isArray);
  expect(lists.length).toBeGreaterThan(0);
  return lists[0] as unknown[];
}

const isCut = (item: unknown): boolean => (item as JsonObject).truncated === true;
const nameOf = (item: unknown): unknown => (item as JsonObject).trace_id;
/** Of a trace that is cut itself, because it is longer than a page, only the name can be compared. */
const nameCut = (item: unknown): unknown => (isCut(item) ? nameOf(item) : item);

describe.each(backends)('answers of few bytes on %s', (backend) => {
  let whole: TestApp;
  let small: TestApp;
  let known: KnownIds;
  beforeAll(async () => {
    whole = await openTestApp(backend, { trackReads: false });
    known = await layMany(whole, { as, mark: MARK, count: COUNT });
    await layLong(whole, known);
    const tracking = await openTestApp(backend, { place: whole.place });
    await layStaleReaders(tracking, { as, mark: MARK, count: COUNT });
    await tracking.close();
    await indexWords(whole);
    small = await openTestApp(backend, { trackReads: false, place: whole.place, maxPageBytes: PAGE_BYTES });
  });
  afterAll(async () => {
    await small.close();
    await whole.close();
  });

  const inputOf = (name: OperationName): JsonObject => manyInput(name, markedInput(name, MARK, known), COUNT);
  const ask = async (app: TestApp, name: OperationName, input: JsonObject): Promise<JsonObject> => {
    const admin = definition(name).admin ? { key: { key_id: 'k', name: 'k', type: 'admin' as const } } : {};
    return app.call(name, input as never, { ...as, ...admin });
  };

  it.each(paged)('%s gives every item once, however many pages it takes', async (name) => {
    const expected: unknown[] = [];
    for (let input: JsonObject | undefined = inputOf(name); input; ) {
      const answer = await ask(whole, name, input);
      expected.push(...itemsOf(answer));
      input = answer.has_more ? { ...inputOf(name), ...nextInput(answer) } : undefined;
    }
    const items: unknown[] = [];
    let pages = 0;
    for (let input: JsonObject | undefined = inputOf(name); input; pages++) {
      const answer = await ask(small, name, input);
      expect(JSON.stringify(answer).length).toBeLessThan(MOST_BYTES);
      items.push(...itemsOf(answer));
      input = answer.has_more ? { ...inputOf(name), ...nextInput(answer) } : undefined;
      expect(pages).toBeLessThan(2000);
    }
    // An audited read adds a line to the list.
    if (!definition(name).admin)
      expect(items.map(nameCut)).toEqual(expected.map((item, i) => (isCut(items[i]) ? nameOf(item) : item)));
    if (!PROBLEMS.includes(name)) expect(pages).toBeGreaterThan(1);
  });

  it.each(cut)('%s is cut, and says so', async (name) => {
    const answer = await ask(small, name, inputOf(name));
    const all = JSON.stringify(await ask(whole, name, inputOf(name))).length;
    expect(JSON.stringify(answer).length).toBeLessThan(MOST_BYTES);
    if (LONG.includes(name)) expect(all).toBeGreaterThan(MUCH);
    if (all < MUCH || BOUNDED.includes(name)) return;
    expect(answer.truncated === true || answer.has_more === true).toBe(true);
    expect(JSON.stringify(answer).length).toBeLessThan(all / 2);
  });

  it('entries without their values are those with them, from columns alone', async () => {
    const input = { entity_path: '*', limit: 1000 } as const;
    const all = await ask(whole, 'entries.list', input);
    const meta = await ask(whole, 'entries.list', { ...input, fields: 'meta' });
    expect(meta.entries).toEqual(
      (all.entries as JsonObject[]).map(({ value: _, artifact_refs: __, event: ___, ...rest }) => rest),
    );
  });
});

import { createHash } from 'node:crypto';
import { type Operation, type OperationName, operationNames, operations, stringify } from '@mem-service/contract';
import type { z } from 'zod';
import { type Caller, insertAccount } from '../../packages/server/src/kernel/index.ts';
import type { TestApp } from '../support/app.ts';

export type Json = Record<string, unknown>;
/** Ids that operations gave out, by field name: what one operation made, another can name. */
export type Known = Record<string, unknown>;

export const definition = (name: OperationName): Operation => operations[name];
/** What is done within an account; what is about it as a whole, or over all of them, has tests of its own. */
export const forAgents = operationNames.filter(
  (name) => operations[name].effect !== 'control' && !definition(name).whole,
);
export const reading = forAgents.filter((name) => operations[name].effect !== 'write');
export const writing = forAgents.filter((name) => operations[name].effect === 'write');

export function fieldsOf(name: OperationName): Record<string, z.core.$ZodType> {
  return (operations[name].input as z.ZodObject).shape;
}

/** What a mark is put into, wherever the field stands in an input. */
const MARKED: Record<string, (given: unknown, mark: string) => unknown> = {
  entity_path: (path, mark) => `${mark}/${path}`,
  key: (key, mark) => `${key}-${mark}`,
  value: (value, mark) => ({ ...(typeof value === 'object' ? value : { was: value }), note: `about ${mark}` }),
  message: (message, mark) => `${message} ${mark}`,
  query: (_, mark) => mark,
  entity: (name, mark) => `${mark}/${name}`,
  source: (name, mark) => `${mark}/${name}`,
  target: (name, mark) => `${mark}/${name}`,
  outcome_ref: (ref, mark) => `${ref}-${mark}`,
  resourceSpans: spansOf,
};

/** Spans know themselves by their numbers, and say in attributes where they belong: those stay what they are. */
function spansOf(given: unknown, mark: string): unknown {
  const traceId = createHash('sha256').update(mark).digest('hex').slice(0, 32);
  return JSON.parse(JSON.stringify(given, (field, value) => (field === 'traceId' ? traceId : value)));
}

const EXTRA = (mark: string): Json => ({
  pattern_refs: [`pattern-${mark}`],
  artifact_refs: [{ uri: `file:///${mark}.txt`, label: mark }],
});

function isDraft(input: Json): boolean {
  return 'entity_path' in input && 'key' in input && 'value' in input;
}

/** The example of the table, told apart from every other by a mark, and naming what is there. */
export function markedInput(name: OperationName, mark: string, known: Known = {}): Json {
  const { dry_run: _, ...example } = operations[name].example as Json;
  const walk = (given: unknown): unknown => {
    if (Array.isArray(given)) return given.map(walk);
    if (typeof given !== 'object' || given === null) return given;
    const members = Object.entries(given).map(([field, one]) => {
      if (field.endsWith('_id') && field in known) return [field, known[field]];
      return [field, MARKED[field]?.(one, mark) ?? walk(one)];
    });
    const input = Object.fromEntries(members);
    return isDraft(input) ? { ...EXTRA(mark), ...input } : input;
  };
  return walk(example) as Json;
}

/** Every entry that an example of the table speaks of. */
export function addressesOf(mark: string): { entity_path: string; key: string }[] {
  const found = new Map<string, { entity_path: string; key: string }>();
  const walk = (given: unknown): void => {
    if (typeof given !== 'object' || given === null) return;
    const { entity_path, key = `any-${mark}` } = given as { entity_path?: string; key?: string };
    if (entity_path !== undefined) {
      const path = entity_path.replace(/\/\*+$/, '/below');
      found.set(`${path} ${key}`, { entity_path: path, key });
    }
    for (const one of Object.values(given)) walk(one);
  };
  for (const name of forAgents) walk(markedInput(name, mark));
  return [...found.values()];
}

/** How often the examples were laid in a store. */
const rounds = new WeakMap<TestApp, number>();

export type Laying = { mark: string; as: Partial<Caller>; extra?: Json };

/**
 * Puts something behind every example: each entry that one speaks of, in several versions, and whatever the writing
 * operations of the table make. Gives back the ids to name them by.
 */
export async function layExamples(app: TestApp, { mark, as, extra = {} }: Laying): Promise<Known> {
  const known: Known = { source_agent_id: as.agent_id };
  const learn = (output: object) => {
    for (const [field, one] of Object.entries(output)) if (field.endsWith('_id') && one !== null) known[field] = one;
  };
  const withExtra = (given: unknown): unknown => {
    if (Array.isArray(given)) return given.map(withExtra);
    if (typeof given !== 'object' || given === null) return given;
    const input = Object.fromEntries(
      Object.entries(given).map(([field, one]) => [field, field === 'value' ? one : withExtra(one)]),
    );
    return isDraft(input) ? { ...input, ...extra } : input;
  };
  for (const attempt of [1, 2]) await layEntries(app, { mark, as, extra }, attempt);
  const round = (rounds.get(app) ?? 0) + 1;
  rounds.set(app, round);
  for (const name of writing) {
    const input = withExtra(markedInput(name, mark, known)) as Json;
    // The same outcome of the same session would be a retry, and seal nothing.
    if (name === 'outcomes.commit') input.outcome_ref = `${input.outcome_ref}-${round}`;
    const mayHide = 'shared' in fieldsOf(name);
    learn(await app.call(name, (mayHide ? { ...input, ...extra } : input) as never, as));
  }
  // What was removed is there again.
  await layEntries(app, { mark, as, extra }, 3);
  learn(await app.call('keys.create', { name: mark }, as));
  return known;
}

async function layEntries(app: TestApp, { mark, as, extra }: Laying, attempt: number): Promise<void> {
  const value = { max_attempts: attempt, note: `about ${mark}` };
  const write = (address: object) =>
    app.call('entries.write', { ...address, value, ...EXTRA(mark), ...extra } as never, as);
  await Promise.all(addressesOf(mark).map(write));
}

/** Brings back what the operation took away. Gives back the new ids. */
export async function layAgainAfter(name: OperationName, app: TestApp, laying: Laying): Promise<Known> {
  if (name === 'entries.delete' || name === 'entries.erase') await layEntries(app, laying, 4);
  if (name !== 'keys.revoke') return {};
  const { key_id } = await app.call('keys.create', { name: laying.mark }, laying.as);
  return { key_id };
}

export async function newAccount(app: TestApp, accountId: string): Promise<void> {
  const { database, clock } = app.kernel.services;
  await database.upkeep((tx) => insertAccount(tx, accountId, clock.now()));
}

/** An operation's answer or refusal, as a client would see it. */
export async function outcomeOf(
  app: TestApp,
  name: OperationName,
  { input, as }: { input: Json; as: Partial<Caller> },
) {
  try {
    return JSON.parse(stringify(await app.call(name, input as never, as))) as Json;
  } catch (error) {
    const { toProblem } = error as { toProblem?: () => object };
    if (!toProblem) throw error;
    return { refused: JSON.parse(JSON.stringify((error as { toProblem: () => object }).toProblem())) } as Json;
  }
}

/**
 * SQLite weighs words over the whole file, so that scores differ with what nobody sees. They order, they tell nothing.
 * How long something took differs too, and with it the hash of what tells it; and recalls are counted in their own time.
 */
const UNSTEADY = new Set(['score', 'recall_count', 'duration_ms', 'hash', 'parent_hash', 'immutable_trace_id']);

export function withoutScores<T>(outcome: T): T {
  return JSON.parse(JSON.stringify(outcome, (field, value) => (UNSTEADY.has(field) ? undefined : value)));
}

/** Ids in order, so that two stores can be held against each other. */
export function countedIds() {
  let count = 0;
  return {
    ids: {
      next: () => `id${String(++count).padStart(24, '0')}`,
      secret: () => new Uint8Array(new BigUint64Array([BigInt(++count), 0n, 0n, 0n]).buffer),
    },
    startAt(number: number) {
      count = number;
    },
  };
}

import type { OperationName } from '@mem-service/contract';
import type { Caller } from '../../packages/server/src/kernel/index.ts';
import type { TestApp } from '../support/app.ts';
import {
  addressesOf,
  createExamples,
  definition,
  fieldsOf,
  type JsonObject,
  type KnownIds,
  namedInPath,
  newInput,
  writing,
} from './table.ts';

/** Fields that identify a thing among others of its kind. */
const DISTINCT = new Set(['key', 'name', 'target', 'outcome_ref', 'label', 'tool_name', 'spanId']);

/** The same about another thing in the same place. */
function another(given: JsonObject, i: number): JsonObject {
  const members = Object.entries(given).map(([field, one]) => {
    if (field === 'spanId') return [field, (i + 1).toString(16).padStart(16, '0')];
    return [field, DISTINCT.has(field) && typeof one === 'string' ? `${one}-${i}` : one];
  });
  return Object.fromEntries(members);
}

const isDistinct = (one: unknown): one is JsonObject =>
  typeof one === 'object' && one !== null && Object.keys(one).some((field) => DISTINCT.has(field));

/** Lists of things that can be told apart are made that long, the outermost ones first. */
function lengthened(given: unknown, count: number): unknown {
  if (Array.isArray(given)) {
    if (!given.every(isDistinct)) return given.map((one) => lengthened(one, count));
    return Array.from({ length: count }, (_, i) => another(given[i % given.length] as JsonObject, i));
  }
  if (typeof given !== 'object' || given === null) return given;
  const members = Object.entries(given).map(([field, one]) => [
    field,
    field === 'value' ? one : lengthened(one, count),
  ]);
  return Object.fromEntries(members);
}

const hasLists = (given: JsonObject): boolean =>
  JSON.stringify(lengthened(given, 2)) !== JSON.stringify(lengthened(given, 3));

/** The input with as many items as it may have up to a count, and with the longest page there is. */
export function manyInput(name: OperationName, given: JsonObject, count: number): JsonObject {
  const page: JsonObject = 'limit' in fieldsOf(name) ? { limit: 1000 } : {};
  for (let length = count; ; ) {
    const input = { ...(lengthened(given, length) as JsonObject), ...page };
    const tooBig = definition(name)
      .input.safeParse(input)
      .error?.issues.find((issue) => issue.code === 'too_big');
    if (!tooBig) return input;
    if (tooBig.path[0] === 'limit') page.limit = Number(tooBig.maximum);
    else length = Number(tooBig.maximum);
  }
}

/** What operations make one by one: a hundred are enough to see a statement for each. */
const MOST_MADE = 100;
/** Room that is left in a session for calls that are counted later. */
const ROOM_IN_SESSION = 10;

export type Many = { as: Partial<Caller>; mark: string; count: number };

/**
 * So many of everything: entries at each path that an example names, versions of one entry, whatever operations can make,
 * and reads in the session of the caller. Gives back ids to name the largest of them by.
 */
export async function layMany(app: TestApp, { as, mark, count }: Many): Promise<KnownIds> {
  const known = await createExamples(app, { mark, as });
  const numbers = Array.from({ length: count }, (_, i) => i);
  const addresses = addressesOf(mark).filter(
    (at, i, all) => all.findIndex(({ entity_path }) => entity_path === at.entity_path) === i,
  );
  const [first] = addresses as [(typeof addresses)[0]];
  const manyAt = (at: typeof first) => numbers.map((i) => ({ ...at, key: `${at.key}-${i}` }));
  const writer = { ...as, agent_id: 'agent/writer', session_id: null };
  await writeAll(app, [...addresses.flatMap(manyAt), ...numbers.map(() => first)], { mark, as: writer, round: 1 });
  for (const name of writing) await makeMany(app, name, { as, mark, count, known });
  await Promise.all(manyAt(first).map((at) => app.call('entries.read', at, as)));
  await app.kernel.services.noteBuffer.flushAll();
  // What was read has changed since.
  await writeAll(app, manyAt(first), { mark, as: writer, round: 2 });
  return known;
}

type Round = { mark: string; as: Partial<Caller>; round: number };

async function writeAll(app: TestApp, addresses: readonly object[], { mark, as, round }: Round): Promise<void> {
  const writes = addresses.map((at, i) => ({
    ...at,
    value: { max_attempts: round * 1000 + i, note: `about ${mark}` },
  }));
  for (let at = 0; at < writes.length; at += 1000)
    await app.call('commits.create', { writes: writes.slice(at, at + 1000) } as never, as);
}

/** What makes a new thing is called again and again, each time for another agent, and once with long lists. */
async function makeMany(app: TestApp, name: OperationName, many: Many & { known: KnownIds }): Promise<void> {
  const { as, mark, count, known } = many;
  if (!makesThings(name)) return;
  const { most_per_session } = definition(name);
  const most = Math.min(count, MOST_MADE, (most_per_session ?? MOST_MADE + ROOM_IN_SESSION) - ROOM_IN_SESSION);
  if (name === 'pull_requests.create') return proposeMany(app, as, most);
  await Promise.all(
    Array.from({ length: most }, (_, i) => {
      const by = most_per_session !== undefined ? as : { ...as, agent_id: `agent/${i}`, session_id: `session-${i}` };
      return app.call(name, newInput(name, mark, known) as never, by);
    }),
  );
  const input = newInput(name, mark, known);
  if (!hasLists(input)) return;
  const long = manyInput(name, input, count);
  await writeAll(app, entriesNamedIn(long), { mark, as, round: 3 });
  const output = await app.call(name, long as never, { ...as, session_id: 'long' });
  for (const [field, one] of Object.entries(output)) if (field.endsWith('_id') && one !== null) known[field] = one;
}

/** There is one open pull request for each branch. */
async function proposeMany(app: TestApp, as: Partial<Caller>, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const source_branch = `experiment/one-of-many-${i}`;
    await app.call('branches.create', { name: source_branch }, as);
    await app.call('pull_requests.create', { title: 'one of many', source_branch }, as);
  }
}

/** Entries that lists of an input name and do not write. */
const entriesNamedIn = (input: JsonObject): JsonObject[] =>
  Object.values(input).flatMap((list) =>
    Array.isArray(list) ? list.filter((one) => one?.entity_path && one.key && !('value' in one)) : [],
  );

/** Makes something new with each call, without naming what is there. */
function makesThings(name: OperationName): boolean {
  const { status = 200 } = definition(name).http;
  const statuses = typeof status === 'number' ? [status] : status.all;
  return statuses.includes(201) && namedInPath(name).length === 0;
}

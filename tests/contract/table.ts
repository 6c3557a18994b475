import type { EntryKey, JsonObject } from '@mem-service/contract';
import { type Operation, type OperationName, operationNames, operations, stringify } from '@mem-service/contract';
import type { z } from 'zod';
import { type Caller, type Ids, insertAccount } from '../../packages/server/src/kernel/index.ts';
import type { TestApp } from '../support/app.ts';
import {
  alignIds,
  BRANCHES_AFTER,
  type BranchSetup,
  changeOpenly,
  createGrantees,
  layBranches,
  waitToBeGivenUp,
} from './branching.ts';
import { layDocuments } from './documents.ts';
import { layKnownFixes } from './fixes.ts';
import { isJudged, layJudges, layVerdicts } from './judging.ts';
import { layMembers } from './negotiating.ts';
import { layInvitations, layInvitationsAfter } from './rooms.ts';

export type { JsonObject } from '@mem-service/contract';
/**
 * Ids that operations gave out, by field name: what one operation made, another can name. Below the name of an operation
 * are those of things that are there for it alone.
 */
export type KnownIds = Record<string, unknown>;

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

/** Fields that get a mark, at any depth of an input. */
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
};

/** What the address of an operation names a thing by. */
export const namedInPath = (name: OperationName): string[] =>
  [...operations[name].http.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);

const identifying = new Set(operationNames.flatMap(namedInPath));

/** Whether a field of an answer says how to name the thing in another call. */
const isIdentifying = (field: string): boolean =>
  field.endsWith('_id') || (identifying.has(field) && !(field in MARKED));

const EXTRA = (mark: string): JsonObject => ({
  pattern_refs: [`pattern-${mark}`],
  artifact_refs: [{ uri: `file:///${mark}.txt`, label: mark }],
});

function isDraft(input: JsonObject): boolean {
  return 'entity_path' in input && 'key' in input && 'value' in input;
}

let last = 1000;
/** A number that no example in this process was made with before. */
const fresh = (): number => ++last;

/** The example of the table, told apart from every other by a mark, and naming what is there. */
export const markedInput = (name: OperationName, mark: string, known: KnownIds = {}): JsonObject =>
  nthInput(name, 0, { mark, known });

/** The same for a call that has to make something new, however often it was made before. */
export const newInput = (name: OperationName, mark: string, known: KnownIds = {}): JsonObject =>
  nthInput(name, fresh(), { mark, known });

/** The nth example. */
export function nthInput(
  name: OperationName,
  n: number,
  { mark, known = {} }: { mark: string; known?: KnownIds },
): JsonObject {
  const { dry_run: _, ...example } = operations[name].example(n) as JsonObject;
  const named = namedInPath(name);
  // What it makes has a name of its own.
  const isMade = (field: string) =>
    operations[name].http.location?.endsWith(`{${field}}`) === true && named.length === 0;
  const own: KnownIds = (known[name] as KnownIds | undefined) ?? {};
  const walk = (given: unknown): unknown => {
    if (Array.isArray(given)) return given.map(walk);
    if (typeof given !== 'object' || given === null) return given;
    const members = Object.entries(given).map(([field, one]) => {
      if (field in own) return [field, own[field]];
      if (field === 'trace_ids' && 'trace_id' in known) return [field, [known.trace_id, known.trace_id]];
      if (field in known && !isMade(field) && (field.endsWith('_id') || named.includes(field)))
        return [field, known[field]];
      return [field, MARKED[field]?.(one, mark) ?? walk(one)];
    });
    const input = Object.fromEntries(members);
    // A correction is of the value alone.
    return isDraft(input) && name !== 'fixes.propose' ? { ...EXTRA(mark), ...input } : input;
  };
  return walk(example) as JsonObject;
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

/** How often examples were laid in a store: those of one round have one n, the same in every store. */
const rounds = new WeakMap<TestApp, number>();
const branchRounds = new WeakMap<TestApp, number>();

function nextRound(app: TestApp, counted = rounds): number {
  const round = (counted.get(app) ?? 0) + 1;
  counted.set(app, round);
  return round;
}

const laid = new WeakMap<TestApp, number>();
/** The n of the examples that were laid last. */
export const laidAs = (app: TestApp): number => laid.get(app) ?? 0;

/** Names that several things have and only one is addressed by, and a member that this one alone has. */
const NAMED_OF: Record<string, string> = {
  name: 'parent_branch',
  id: 'source_branch',
  no: 'merge_id',
  decision: 'proposal_id',
};

/** What is in a room, and who comes into it. */
export const isOfRooms = (name: OperationName): boolean => /^(rooms|room_\w+|negotiations)\./.test(name);

/** What accounts let all others see. */
export const isOfDirectory = (name: OperationName): boolean => name.startsWith('room_directory.');

const OF_OTHER_ROOMS =
  /^room_invitations\.|^room_directory\.request|^rooms\.(remove_account|join|leave|close|(approve|decline|grant)_access)$/;

export function learn(known: KnownIds, output: object, maker?: OperationName): void {
  // What was given up is not there any more, and a room of others is not the one to go on with.
  if (maker === 'merges.abort' || (maker && OF_OTHER_ROOMS.test(maker))) return;
  for (const [field, one] of Object.entries(output)) {
    const of = NAMED_OF[field];
    if (isIdentifying(field) && one !== null && (of === undefined || of in output)) known[field] = one;
  }
  // The session that the span was recorded in is sealed with the outcome.
  if (maker === 'outcomes.commit' && 'trace_id' in output)
    known['traces.read_span'] = { trace_id: output.trace_id, span_id: known.span_id };
  // Tags are addressed by their names as well, and only by what removes them.
  if (maker !== 'tags.create' || !('name' in output)) return;
  known['tags.delete'] = { name: output.name };
}

export type ExampleSetup = {
  mark: string;
  as: Partial<Caller>;
  extra?: JsonObject;
  /** Only what everyone may see of them, where there is nothing else. */
  only_open?: boolean;
  /** Without fixes and patterns, which have entries and branches that every agent sees. */
  without_open_entries?: boolean;
  /** Without rooms, which are reported to all agents of an account a moment after something happened in them. */
  without_rooms?: boolean;
};

/**
 * Puts something behind every example: each entry that one speaks of, in several versions, and whatever the writing
 * operations of the table make. Gives back the ids to name them by.
 */
export async function createExamples(app: TestApp, setup: ExampleSetup): Promise<KnownIds> {
  const { mark, as, extra = {}, only_open = false } = setup;
  const known: KnownIds = { source_agent_id: as.agent_id, ...(only_open ? { agent_id: as.agent_id } : {}) };
  knownIn(app).set(mark, known);
  await createGrantees(app, { mark, as }, known);
  await layJudges(app, setup, known);
  if (!setup.without_rooms) await layInvitations(app, setup, known);
  if (!setup.without_open_entries) await layKnownFixes(app, { mark, as }, known);
  const withExtra = (given: unknown): unknown => {
    if (Array.isArray(given)) return given.map(withExtra);
    if (typeof given !== 'object' || given === null) return given;
    const input = Object.fromEntries(
      Object.entries(given).map(([field, one]) => [field, field === 'value' ? one : withExtra(one)]),
    );
    return isDraft(input) ? { ...input, ...extra } : input;
  };
  if (!only_open) for (const attempt of [1, 2]) await createEntries(app, setup, attempt);
  const n = nextRound(app);
  laid.set(app, n);
  for (const name of writing) {
    if (name === 'merges.abort')
      await waitToBeGivenUp(app, { ...setup, known, at: addressesOf(mark)[0] as EntryKey, n });
    if (!isLaid(name, setup)) continue;
    // Everyone who may read the branch sees the id of the pull request, and of the merge's commit.
    if (name === 'branches.merge' || name === 'pull_requests.create') alignIds(app);
    if (name === 'branches.merge' && !only_open && extra.shared !== false) await changeOpenly(app, { as, known, n });
    if (name === 'negotiations.create') await layMembers(app, setup, known);
    const input = withExtra(nthInput(name, n, { mark, known })) as JsonObject;
    const mayHide = 'shared' in fieldsOf(name);
    const { commit_id } = known;
    learn(known, await app.call(name, (mayHide ? { ...input, ...extra } : input) as never, as), name);
    // The log of the account says what was shared, before anything else happens.
    if (name === 'rooms.add_topic') await app.kernel.services.consumers.drain();
    // What was changed openly lies at another place.
    if (name === 'branches.merge') known.commit_id = commit_id;
    // What follows is done in the room.
    if (name === 'rooms.leave') await app.call('rooms.join', { room_id: known.room_id } as never, as);
  }
  if (!only_open) await compileDigests(app, setup);
  // What was removed is there again.
  const removing = writing.filter((name) => definition(name).removes);
  await layAgain(removing, app, setup);
  await layBranches(app, branchSetup(app, setup));
  await layVerdicts(app, setup, known);
  const documents = { names: [`of-${mark}.md`, `more-of-${mark}.md`], content: () => `about ${mark} `.repeat(300) };
  if (!setup.without_rooms) await layDocuments(app, { as, known }, documents);
  return known;
}

/** What is shared with a room are entries that everyone may see. */
const OF_TOPICS = new Set<OperationName>(['rooms.add_topic', 'rooms.remove_topic']);

/** Not where what it writes cannot be kept to oneself, and is not there to be found. */
const isLaid = (name: OperationName, { extra = {}, only_open = false, without_rooms = false }: ExampleSetup): boolean =>
  !(without_rooms && isOfRooms(name)) &&
  (!only_open || definition(name).open_to_all === true) &&
  !((extra.shared === false || only_open) && OF_TOPICS.has(name)) &&
  !(extra.shared === false && definition(name).always_shared === true);

/** Digests of everything that an example speaks of, as far as there is something to say. */
async function compileDigests(app: TestApp, { mark, as }: ExampleSetup): Promise<void> {
  const paths = addressesOf(mark).map(({ entity_path }) => entity_path);
  const scopes = new Set([...paths, as.agent_id ?? '']);
  for (const scope of scopes) if (scope !== '') await app.call('cortex.recompile', { scope }, as);
}

async function createEntries(app: TestApp, { mark, as, extra = {} }: ExampleSetup, attempt: number): Promise<void> {
  const value = { max_attempts: attempt, note: `about ${mark}` };
  const write = (address: object) =>
    app.call('entries.write', { ...address, value, ...EXTRA(mark), ...extra } as never, as);
  await Promise.all(addressesOf(mark).map(write));
}

/** The making of examples has ended what others were invited to, until it is brought back for the first time. */
const restored = new WeakSet<KnownIds>();

/** Brings back what the operation took away, by what made it. Gives back the ids, with the new ones. */
export async function restoreExamplesAfter(name: OperationName, app: TestApp, setup: ExampleSetup): Promise<KnownIds> {
  if (operations[name].effect !== 'write') return knownIn(app).get(setup.mark) ?? {};
  const known = await layAgain([name], app, setup);
  if (restored.has(known)) await layInvitationsAfter(app, { ...setup, ended: name }, known);
  else await layInvitations(app, setup, known);
  restored.add(known);
  if (definition(name).erases || !isJudged(known)) await layVerdicts(app, setup, known);
  await BRANCHES_AFTER[name]?.(app, branchSetup(app, setup));
  return known;
}

/** What was laid in a store, by mark. */
const laidIn = new WeakMap<TestApp, Map<string, KnownIds>>();

function knownIn(app: TestApp): Map<string, KnownIds> {
  const known = laidIn.get(app) ?? new Map<string, KnownIds>();
  laidIn.set(app, known);
  return known;
}

function branchSetup(app: TestApp, setup: ExampleSetup): BranchSetup {
  const [at] = addressesOf(setup.mark);
  const n = nextRound(app, branchRounds);
  return { ...setup, known: knownIn(app).get(setup.mark) ?? {}, at: at as BranchSetup['at'], n };
}

async function layAgain(removing: readonly OperationName[], app: TestApp, setup: ExampleSetup): Promise<KnownIds> {
  const makers = new Set(removing.flatMap((name) => (definition(name).removes ?? []) as OperationName[]));
  const known = knownIn(app).get(setup.mark) ?? {};
  if (makers.size === 0) return known;
  const n = nextRound(app);
  if (!setup.only_open) await createEntries(app, setup, 2 + n);
  for (const name of makers) {
    const { extra = {}, mark, as } = setup;
    if (!isLaid(name, setup)) continue;
    if (name === 'negotiations.create') await layMembers(app, setup, known);
    const mayHide = 'shared' in fieldsOf(name);
    const input = nthInput(name, n, { mark, known });
    learn(known, await app.call(name, (mayHide ? { ...input, ...extra } : input) as never, as), name);
    if (name === 'rooms.add_topic') await app.kernel.services.consumers.drain();
  }
  return known;
}

export async function newAccount(app: TestApp, accountId: string): Promise<void> {
  const { database, clock } = app.kernel.services;
  await database.maintenanceTransaction((tx) => insertAccount(tx, accountId, clock.now()));
}

/** An operation's answer or refusal, as a client would see it. */
export async function outcomeOf(
  app: TestApp,
  name: OperationName,
  { input, as }: { input: JsonObject; as: Partial<Caller> },
) {
  try {
    return JSON.parse(stringify(await app.call(name, input as never, as))) as JsonObject;
  } catch (error) {
    const { toProblem } = error as { toProblem?: () => object };
    if (!toProblem) throw error;
    return { refused: JSON.parse(JSON.stringify((error as { toProblem: () => object }).toProblem())) } as JsonObject;
  }
}

/**
 * SQLite weighs words over the whole file, so that scores differ with rows the caller cannot see, and with them the order of
 * results that fit about as well (`inOneOrder`).
 * Durations differ too, and with them hashes of answers that contain them; recalls are counted later. Ids of merges are drawn in
 * the order of all writes.
 */
const UNSTEADY = new Set([
  'merge_id',
  'score',
  'recall_count',
  'duration_ms',
  'hash',
  'parent_hash',
  'immutable_trace_id',
]);

export function withoutScores<T>(outcome: T): T {
  return JSON.parse(JSON.stringify(outcome, (field, value) => (UNSTEADY.has(field) ? undefined : value)));
}

/** Numbers of the log and of notes only show that something happened. */
const PLACES = /^(((last|fork|source|target)_)?(seq|position)|head|item_id|id)$/;
/** A state is named by its branch and a number of the log. */
const withoutSeq = (value: unknown) => (typeof value === 'string' ? value.replace(/(?<=^[\w/-]+@)\d+$/, '') : value);
/** Says on purpose how much there is that the caller may not see. */
const HIDDEN = 'hidden';

/** Results that were ranked by words, by their names. */
const inOneOrder = (value: unknown): unknown =>
  Array.isArray(value) && value.some((one) => typeof one?.score === 'number')
    ? value.toSorted((a, b) => nameIn(a).localeCompare(nameIn(b)))
    : value;
const nameIn = ({ entity_path, key }: { entity_path?: unknown; key?: unknown }) => JSON.stringify([entity_path, key]);

export function withoutPlaces(outcome: unknown): unknown {
  const ordered = JSON.parse(JSON.stringify(outcome, (_, value) => inOneOrder(value)));
  const replace = (field: string, value: unknown) => {
    if (field === HIDDEN || (PLACES.test(field) && !/^id0/.test(String(value)))) return undefined;
    // Ids of pull requests are drawn in the order of all writes.
    if (field === 'details' && value instanceof Object && 'target' in value && 'id' in value)
      return { ...value, id: undefined };
    if (field !== 'next_cursor' || typeof value !== 'string') return withoutSeq(value);
    // Behind the dot is the end of the log.
    const [cursor = ''] = value.split('.');
    const [list, ...place] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return [list, ...place.filter((part: unknown) => typeof part === 'string')];
  };
  return JSON.parse(JSON.stringify(withoutScores(ordered), replace));
}

/** A page may hold less than it reaches over; one that reaches over all there is can be compared. */
export function wholePage(name: OperationName, input: JsonObject): JsonObject {
  const whole = { ...input, limit: 1000 };
  return operations[name].input.safeParse(whole).success ? whole : input;
}

export type CountedIds = Ids & {
  /** Goes on behind the next multiple of the number. */
  skipToMultiple(of: number): void;
};

/** Ids in order, so that two stores can be compared. */
export function countedIds(): { ids: CountedIds; startAt(number: number): void } {
  let count = 0;
  return {
    ids: {
      skipToMultiple(of) {
        count = (Math.floor(count / of) + 1) * of;
      },
      next: () => `id${String(++count).padStart(24, '0')}`,
      stamp: () => 1,
      secret: () => new Uint8Array(new BigUint64Array([BigInt(++count), 0n, 0n, 0n]).buffer),
    },
    startAt(number: number) {
      count = number;
    },
  };
}

/** A call that may show something: the operation, what is asked in words, and its input. */
export type Question = [name: OperationName, how: string, input: JsonObject];

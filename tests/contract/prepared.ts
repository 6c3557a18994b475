import type { OperationName } from '@mem-service/contract';
import type { Caller } from '../../packages/server/src/kernel/index.ts';
import { caller, type TestApp } from '../support/app.ts';
import { layInvitationsAfter } from './rooms.ts';
import type { JsonObject, KnownIds } from './table.ts';

/** What a call needs beyond its example, and on whose behalf it is made. */
export type CallSetup = { input?: JsonObject; as?: Partial<Caller> };

/** An account, and how many things of every kind are in it. */
export type FilledAccount = { as: Partial<Caller>; count: number };

type Prepare = (app: TestApp, counted: FilledAccount) => Promise<CallSetup>;

/** Of the accounts that are counted. */
export const ACCOUNT_NAME = 'Example';

const CONTROL = { control: true } as const;

/** An account that an export can be put into. */
async function newEmptyAccount(app: TestApp): Promise<Partial<Caller>> {
  const { account_id } = await app.call('accounts.create', { name: 'Empty', plan: 'enterprise', empty: true }, CONTROL);
  return { account_id };
}

async function exportedLines(app: TestApp, as: Partial<Caller>, most: number): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of await app.kernel.list('transfer.export', {}, caller(as)))
    if (lines.push(line) === most) break;
  return lines;
}

/** The most lines that one call takes. */
const MAX_LINES = 10_000;

/** An empty account that has received so many lines. */
async function prepareReceived(app: TestApp, as: Partial<Caller>, most: number): Promise<Required<CallSetup>> {
  const lines = await exportedLines(app, as, most);
  const empty = await newEmptyAccount(app);
  for (let from = 0; from < lines.length; from += MAX_LINES)
    await app.call('transfer.add', { from, lines: lines.slice(from, from + MAX_LINES) }, empty);
  return { input: { from: 0, lines }, as: empty };
}

/** The call that hands over lines is made again. */
export const prepareRetry: Prepare = (app, { as, count }) => prepareReceived(app, as, count);

const prepareSome: Prepare = async (app, { as, count }) => ({ as: (await prepareReceived(app, as, count)).as });

let proposed = 0;

/** A pull request of a branch with so many changes. */
const prepareProposal: Prepare = async (app, { as, count }) => {
  const source_branch = `experiment/counted-${++proposed}`;
  await app.call('branches.create', { name: source_branch }, as);
  const writes = Array.from({ length: count }, (_, i) => ({
    entity_path: 'counted',
    key: `${proposed}-${i}`,
    value: i,
  }));
  await app.call('commits.create', { writes, branch: source_branch }, as);
  const { id } = await app.call('pull_requests.create', { title: 'counted', source_branch }, as);
  return { input: { id } };
};

/** As many as a set holds. */
const MAX_CASES = 100;

const prepareBackfill: Prepare = async (app, { as }) => {
  const { backfill_id } = await app.call('backfills.create', {}, as);
  return { input: { backfill_id } };
};

/** A set of so many cases that are not in any other. */
const prepareCases: Prepare = async (app, { as, count }) => {
  const set_id = `counted-${++proposed}`;
  const results = Array.from({ length: Math.min(count, MAX_CASES) }, (_, i) => ({
    case_id: `${set_id}-${i}`,
    result: 'pass',
  }));
  for (const { case_id } of results) await app.call('cases.create', { case_id, set_id, task_input: 'a task' }, as);
  return { input: { set_id, results } };
};

/** As many as a fix corrects. */
const MAX_FIXED = 20;

/** Entries that a fix corrects, and none has yet. */
const prepareFix: Prepare = async (app, { as, count }) => {
  const entity_path = `counted-${++proposed}`;
  const entries = Array.from({ length: Math.min(count, MAX_FIXED) }, (_, i) => ({
    entity_path,
    key: `${i}`,
    value: i,
  }));
  await app.call('commits.create', { writes: entries.map((one) => ({ ...one, value: 'wrong' })) }, as);
  return { input: { entity_path, key: '0', entries } };
};

/** One room, since each is an account of its own, which is asked by itself. A key with a scope has none of its paths. */
const prepareRoom: Prepare = async (app, { as }) => {
  const { room_id } = await app.call('rooms.create', { name: 'Searched' }, as);
  return { input: { q: 'ship', room_id }, as: { key: undefined } };
};

/** So many entries to share with a room. */
const prepareTopic: Prepare = async (app, { as, count }) => {
  const { room_id } = await app.call('rooms.create', { name: 'Shared with' }, as);
  const entity_path = `counted-${++proposed}`;
  const writes = Array.from({ length: count }, (_, i) => ({ entity_path, key: `${i}`, value: i }));
  await app.call('commits.create', { writes }, as);
  return { input: { room_id, entity_path } };
};

/** Each answers an invitation, or ends what a room is to the caller. */
const OF_ONE_ROOM = [
  ...(['room_invitations.accept', 'room_invitations.decline', 'room_invitations.redeem'] as const),
  ...(['rooms.remove_account', 'rooms.close', 'rooms.leave', 'rooms.join'] as const),
  ...(['room_directory.request_access', 'rooms.approve_access', 'rooms.decline_access', 'rooms.grant_access'] as const),
];

const prepareInvitation =
  (name: OperationName): Prepare =>
  async (app, { as }) => {
    const known: KnownIds = {};
    await layInvitationsAfter(app, { as, ended: name }, known);
    return { input: known[name] as JsonObject };
  };

/** Operations on an account in a state that no example brings about. */
export const PREPARE: Partial<Record<OperationName, Prepare>> = {
  ...Object.fromEntries(OF_ONE_ROOM.map((name) => [name, prepareInvitation(name)])),
  'room_documents.search': prepareRoom,
  'rooms.add_topic': prepareTopic,
  'transfer.add': async (app, { as, count }) => ({
    input: { from: 0, lines: await exportedLines(app, as, count) },
    as: await newEmptyAccount(app),
  }),
  'transfer.status': prepareSome,
  'transfer.finish': async (app, { as }) => ({
    as: (await prepareReceived(app, as, Number.POSITIVE_INFINITY)).as,
  }),
  'transfer.discard': prepareSome,
  'pull_requests.read': prepareProposal,
  'pull_requests.merge': prepareProposal,
  'pull_requests.close': prepareProposal,
  'pull_requests.reopen': async (app, counted) => {
    const { input } = await prepareProposal(app, counted);
    await app.call('pull_requests.close', input as { id: string }, counted.as);
    return { input: input as JsonObject };
  },
  'tags.delete': async (app, { as }) => {
    await app.call('tags.create', { name: 'to-be-deleted' }, as);
    return { input: { name: 'to-be-deleted' } };
  },
  'case_runs.create': prepareCases,
  'fixes.propose': prepareFix,
  'backfills.read': prepareBackfill,
  'backfills.cancel': prepareBackfill,
  'accounts.delete': async (_, { as: { account_id } }) => ({
    input: { account_id, force: true, name: ACCOUNT_NAME },
  }),
};

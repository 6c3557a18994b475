import { type OperationName, operations } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, indexWords, openTestApp, type TestApp } from '../support/app.ts';
import { dump } from './dump.ts';
import { layMoreInRoom } from './rooms.ts';
import { layStaleReaders } from './stale-readers.ts';
import {
  countedIds,
  createExamples,
  definition,
  fieldsOf,
  forAgents,
  isOfDirectory,
  type JsonObject,
  type KnownIds,
  laidAs,
  markedInput,
  newAccount,
  newInput,
  nthInput,
  outcomeOf,
  reading,
  restoreExamplesAfter,
  withoutScores,
  writing,
} from './table.ts';

const A = 'aaaaaaaa-0000-4000-8000-00000000000a';
const B = 'bbbbbbbb-0000-4000-8000-00000000000b';
const MARK = 'alphamark';
const AGENT = 'agent/of-both';

/** A token is good for whichever account it is handed to, and the directory is for all. */
const isOfOneAccount = (name: OperationName): boolean => name !== 'room_invitations.redeem' && !isOfDirectory(name);

/** After these the room, or the invitation, is not there for the caller any more, nor what it was answered. */
const ENDING: ReadonlySet<OperationName> = new Set([
  ...(['rooms.remove_account', 'rooms.close'] as const),
  ...(['room_invitations.accept', 'room_invitations.decline', 'room_invitations.redeem'] as const),
]);

/**
 * One store holds A's data, the other has no account A. Every call of B must give the same result in both: then nothing of A
 * is visible, not even its existence.
 */
describe.each(backends)('two accounts on %s', (backend) => {
  const shared = countedIds();
  const lonely = countedIds();
  let withA: TestApp;
  let withoutA: TestApp;
  let known: KnownIds;
  // Far beyond the ids of what is laid.
  let round = 1_000_000;

  beforeAll(async () => {
    withA = await openTestApp(backend, { ids: shared.ids });
    withoutA = await openTestApp(backend, { ids: lonely.ids });
    for (const account of [A, B]) await newAccount(withA, account);
    await newAccount(withoutA, B);
    await createExamples(withA, { mark: 'another', as: { account_id: A, agent_id: `${AGENT}-too` } });
    known = await createExamples(withA, { mark: MARK, as: { account_id: A, agent_id: AGENT } });
    await layMoreInRoom(withA, { mark: MARK, as: { account_id: A, agent_id: AGENT } }, known);
    await layStaleReaders(withA, { mark: MARK, as: { account_id: A, agent_id: AGENT }, count: 3 });
  });
  afterAll(() => Promise.all([withA.close(), withoutA.close()]));

  async function actAsB(name: OperationName, input: JsonObject, idempotency_key?: string) {
    const as = { account_id: B, agent_id: AGENT, idempotency_key };
    // Earlier notes are flushed in both stores, and words indexed.
    for (const app of [withA, withoutA]) {
      await app.kernel.services.noteBuffer.flushAll();
      await indexWords(app);
    }
    round += 1000;
    shared.startAt(round);
    lonely.startAt(round);
    const seen = withoutScores(await outcomeOf(withA, name, { input, as }));
    expect(seen).toEqual(withoutScores(await outcomeOf(withoutA, name, { input, as })));
    return seen;
  }

  it.each(reading.filter(isOfOneAccount))('%s shows an empty account nothing of another', async (name) => {
    const seen = await actAsB(name, markedInput(name, MARK, known));
    expect(JSON.stringify(seen)).not.toContain(`about ${MARK}`);
    expect(JSON.stringify(seen)).not.toContain(`pattern-${MARK}`);
  });

  const paged = reading.filter((name) => 'cursor' in fieldsOf(name) && isOfOneAccount(name));
  it.each(paged)('%s takes no cursor across accounts', async (name) => {
    const input = { ...markedInput(name, MARK, known), limit: 1 };
    const page = (await withA.call(name, input as never, { account_id: A, agent_id: AGENT })) as JsonObject;
    expect(page.next_cursor, `a first page of ${name} with more behind it`).toEqual(expect.any(String));
    const seen = await actAsB(name, { ...input, cursor: page.next_cursor });
    expect(JSON.stringify(seen)).not.toContain(`about ${MARK}`);
  });

  it.each(writing.filter(isOfOneAccount))(
    '%s with the names of another account changes nothing of that account',
    async (name) => {
      const ofA = await dump(withA, A);
      await actAsB(name, nthInput(name, laidAs(withA), { mark: MARK, known }));
      expect(await dump(withA, A)).toEqual(ofA);
    },
  );

  it.each(writing.filter((name) => !ENDING.has(name) && !isOfDirectory(name)))(
    '%s does not replay the answer of another account',
    async (name) => {
      const input = newInput(name, MARK, known);
      const as = { account_id: A, agent_id: AGENT, idempotency_key: `retry-${name}` };
      const first = await withA.call(name, input as never, as);
      await actAsB(name, input, `retry-${name}`);
      const replayed = await withA.call(name, input as never, as);
      const { once } = definition(name);
      const hidden = Object.fromEntries((once ?? []).flatMap((member) => (member in first ? [[member, null]] : [])));
      const shown = { ...first, ...hidden };
      expect(replayed).toEqual(shown);
      const setup = { mark: MARK, as: { account_id: A, agent_id: AGENT } };
      Object.assign(known, await restoreExamplesAfter(name, withA, setup));
    },
  );

  it.each(forAgents.filter(isOfOneAccount))('%s shows an account with data only its own', async (name) => {
    const seen = await actAsB(name, newInput(name, MARK, known));
    if (operations[name].effect !== 'write') expect(seen).not.toHaveProperty('refused.status', 500);
  });
});

import { type OperationName, operationNames, operations } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { layTeams } from '../contract/branching.ts';
import { dump, untilStill } from '../contract/dump.ts';
import { layMoreInRoom } from '../contract/rooms.ts';
import {
  countedIds,
  createExamples,
  definition,
  fieldsOf,
  isOfDirectory,
  isOfRooms,
  type JsonObject,
  type KnownIds,
  markedInput,
  withoutScores,
} from '../contract/table.ts';
import { until } from '../faults/support/mem-process.ts';
import { openStream } from '../stream/support.ts';
import { backends } from '../support/app.ts';
import { get, type Hosted, openHosted, write } from '../support/hosted.ts';
import {
  addresses,
  type HttpAnswer,
  type HttpRequest,
  labelled,
  type OperationAddress,
  requestFor,
} from '../support/wire.ts';

const A = 'aaaaaaaa-0000-4000-8000-00000000000a';
const B = 'bbbbbbbb-0000-4000-8000-00000000000b';
const MARK = 'alphamark';
const AGENT = 'agent/of-both';
const RPM = 100_000;

/** The directory of rooms is for all accounts. */
const ofAccounts = addresses.filter(({ name }) => !isOfDirectory(name));
const isWrite = ({ name }: OperationAddress) => operations[name].effect === 'write';
const hasCursor = ({ name, route }: OperationAddress) => 'cursor' in fieldsOf(name) && route.method === 'GET';
/** Writes about the account as a whole, which the examples of agents leave out. */
const wholeWrites = operationNames.filter((name) => {
  const { whole, admin, effect, removes } = definition(name);
  // A fix is decided about once.
  const isDecision = name === 'fixes.approve' || name === 'fixes.dismiss';
  return whole && !admin && effect === 'write' && !removes && !isDecision;
});
/** The example, naming what is there; what makes a new thing names that itself. */
const wholeInput = (name: OperationName, n: number, known: KnownIds): object => {
  if (name === 'fixes.propose') return markedInput(name, MARK, known);
  const example = operations[name].example(n) as object;
  if (definition(name).http.status === 201)
    return 'trace_id' in example ? { ...example, trace_id: known.trace_id } : example;
  const isThere = ([field]: [string, unknown]) => field.endsWith('_id') && field in known;
  return Object.fromEntries(
    Object.entries(example).map((member) => (isThere(member) ? [member[0], known[member[0]]] : member)),
  );
};
const key = 'idempotency-key';

/** Random, or of one request, or how long it took. */
const UNSTEADY = new Set([
  ...['request_id', 'subject_salt', 'subject_hash', 'agent_salt', 'agent_hash', 'audit_hash'],
  // What a session was asked holds how long the answer took.
  ...['p50', 'p95', 'p99', 'storage_bytes', 'storage_bytes_with_rooms'],
]);

function answerFacts({ status, text }: HttpAnswer) {
  const lines = text.split('\n').map((line) => {
    try {
      return withoutScores(JSON.parse(line, (field, value) => (UNSTEADY.has(field) ? undefined : value)));
    } catch {
      return line;
    }
  });
  return { status, lines };
}

/**
 * One service holds A's data, the other has no account A. Both give the same answer to every request of B, with
 * the same status and the same text: then nothing of A is visible, not even its existence.
 */
describe.each(backends)('another account over the wire on %s', (backend) => {
  const shared = countedIds();
  const lonely = countedIds();
  const keys = { a: '', b: '', bWithoutA: '' };
  let withA: Hosted;
  let withoutA: Hosted;
  let known: KnownIds;
  let round = 1_000_000;

  /** Both give out the same ids. */
  async function inBoth<T>(first: () => Promise<T>, second: () => Promise<T>): Promise<[T, T]> {
    round += 1000;
    shared.startAt(round);
    const one = await first();
    lonely.startAt(round);
    return [one, await second()];
  }
  const fullKey = async (service: Hosted, account_id: string) => {
    const { key: admin } = await service.newAccount({ account_id });
    return (await service.newKey(admin, { key_type: 'admin', rate_limit_rpm: RPM })).key;
  };

  /** Two sessions of others read an entry that is changed before their outcomes. */
  async function readStale(): Promise<void> {
    const { app } = withA;
    const { entity_path, key } = markedInput('entries.readers', MARK, known) as { entity_path: string; key: string };
    const sessions = ['one', 'two'].map((id) => ({
      account_id: A,
      agent_id: 'agent/reader',
      session_id: `stale-${id}`,
    }));
    for (const session of sessions) await app.call('entries.read', { entity_path, key }, session);
    await app.kernel.services.noteBuffer.flushAll(true);
    await app.call(
      'entries.write',
      { entity_path, key, value: { max_attempts: 9, note: `about ${MARK}` } },
      { account_id: A, agent_id: AGENT },
    );
    for (const { session_id, ...session } of sessions)
      await app.call(
        'outcomes.commit',
        { outcome_ref: session_id, outcome_type: 'failure' },
        { ...session, session_id },
      );
  }

  /** Lists that the examples leave with one thing, or none, in them. */
  async function layMore(): Promise<void> {
    const as = { account_id: A, agent_id: AGENT };
    await layMoreInRoom(withA.app, { as, mark: MARK }, known);
    const { trace_id } = known as { trace_id: string };
    for (const set_id of ['set-1', 'set-2'])
      await withA.app.call('cases.create', { case_id: set_id, set_id, trace_id }, as);
  }

  beforeAll(async () => {
    withA = await openHosted(backend, { app: { ids: shared.ids } });
    withoutA = await openHosted(backend, { app: { ids: lonely.ids } });
    keys.a = await fullKey(withA, A);
    await createExamples(withA.app, { mark: 'another', as: { account_id: A, agent_id: `${AGENT}-too` } });
    known = await createExamples(withA.app, { mark: MARK, as: { account_id: A, agent_id: AGENT } });
    await layTeams(withA.app, { as: { account_id: A, agent_id: AGENT } }, known);
    for (const name of wholeWrites)
      for (const n of [1, 2]) {
        const as = { account_id: A, agent_id: AGENT };
        const made = (await withA.app.call(name, wholeInput(name, n, known) as never, as)) as JsonObject;
        for (const id of ['backfill_id', 'case_run_id'] as const)
          if (typeof made[id] === 'string') known[id] = made[id];
      }
    await readStale();
    await layMore();
    const writer = { account_id: A, agent_id: 'agent/in-error' };
    for (const key of ['one', 'two'])
      await withA.app.call('entries.write', { entity_path: MARK, key, value: `about ${MARK}` }, writer);
    const bad = { written_by: writer.agent_id };
    known.quarantine_id = (await withA.app.call('quarantine.create', bad, writer)).quarantine_id;
    [keys.b, keys.bWithoutA] = await inBoth(
      () => fullKey(withA, B),
      () => fullKey(withoutA, B),
    );
  });
  afterAll(() => Promise.all([withA.close(), withoutA.close()]));

  const asAgent = (sent: HttpRequest): HttpRequest => ({
    ...sent,
    headers: { 'x-mem-agent-id': AGENT, ...sent.headers },
  });

  /** B's answer, which is the same where there is no A. */
  async function askAsB(sent: HttpRequest): Promise<HttpAnswer> {
    for (const { app } of [withA, withoutA]) await app.kernel.services.noteBuffer.flushAll();
    const [answer, single] = await inBoth(
      () => withA.as(keys.b, asAgent(sent)),
      () => withoutA.as(keys.bWithoutA, asAgent(sent)),
    );
    expect(answerFacts(answer)).toEqual(answerFacts(single));
    expect(answer.status).not.toBe(500);
    return answer;
  }

  it.each(labelled(ofAccounts.filter((one) => !isWrite(one))))('%s shows nothing of it', async (_, address) => {
    const { text } = await askAsB(requestFor(address, markedInput(address.name, MARK, known)));
    expect(text).not.toContain(`about ${MARK}`);
    expect(text).not.toContain(`pattern-${MARK}`);
  });

  it.each(labelled(ofAccounts.filter(hasCursor)))('%s takes no cursor of it', async (_, address) => {
    const input = { ...markedInput(address.name, MARK, known), limit: 1 };
    const page = await withA.as(keys.a, asAgent(requestFor(address, input)));
    const { next_cursor } = page.json;
    expect(next_cursor, `a first page of ${address.name} with more behind it`).toEqual(expect.any(String));
    const { text } = await askAsB(requestFor(address, { ...input, cursor: next_cursor }));
    expect(text).not.toContain(`about ${MARK}`);
  });

  it.each(labelled(ofAccounts.filter(isWrite)))('%s neither changes it nor replays its answers', async (_, address) => {
    const sent = requestFor(address, markedInput(address.name, MARK, known));
    const headers = { [key]: `one-${address.name}` };
    await withA.as(keys.a, asAgent({ ...sent, headers }));
    // What follows its own log in the background is done.
    await withA.app.jobs.sweep();
    if (isOfRooms(address.name)) await untilStill(withA.app, A);
    const before = await dump(withA.app, A);
    await askAsB({ ...sent, headers });
    expect(await dump(withA.app, A)).toEqual(before);
  });

  it('the 404 for an entry of it is the same as for one that was never written', async () => {
    await withA.as(keys.a, write('hidden/place', 'key-1'));
    const [there, never] = [
      await askAsB(get('/api/v1/entries/hidden/place/key-1')),
      await askAsB(get('/api/v1/entries/hidden/place/key-2')),
    ];
    expect(there.status).toBe(404);
    expect(there.text.replaceAll('key-1', 'key-2')).toBe(never.text);
  });

  it('a stream that resumes at a number of its log shows nothing of it', async () => {
    const { json } = await withA.as(keys.a, get('/api/v1/stats'));
    const headers = { 'x-mem-api-key': keys.b };
    for (const lastId of [0, json.last_seq as number]) {
      const listener = await openStream(withA.server.url, { lastId, headers });
      await withA.as(keys.a, write('told/of-a', 'k', `about ${MARK}`));
      await withA.as(keys.b, write('told/of-b', `k${lastId}`));
      if (lastId === 0) await until(() => listener.raw().includes('told/of-b'), { what: 'its own event' });
      expect(listener.raw()).not.toContain('told/of-a');
      expect(listener.raw()).not.toContain(`about ${MARK}`);
    }
  });

  it('an export holds what is its own alone', async () => {
    await withA.as(keys.b, write('mine', 'k', 'of b'));
    const { status, text } = await withA.as(keys.b, get('/api/v1/export'));
    expect(status).toBe(200);
    expect(text).toContain('of b');
    expect(text).not.toContain(A);
    expect(text).not.toContain(`${AGENT}-too`);
  });
});

describe('the operations that are tried', () => {
  it('are all of the table but those of the control plane', () => {
    const tried = new Set<OperationName>(addresses.map(({ name }) => name));
    const all = Object.entries(operations).filter(([, { effect }]) => effect !== 'control');
    expect([...tried].sort()).toEqual(all.map(([name]) => name).sort());
  });
});

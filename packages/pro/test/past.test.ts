import { Fault, type OperationName, operations, type Problem, stringify } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createExamples, fieldsOf, type JsonObject, markedInput } from '../../../tests/contract/table.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const MARK = 'past';
const as = { agent_id: 'agent/past', session_id: 'past' };
/** Has no contracts for its writes. */
const later = { agent_id: 'agent/later', session_id: 'later' };

const reading = (Object.keys(operations) as OperationName[]).filter(
  (name) => operations[name].effect === 'read' && 'branch' in fieldsOf(name),
);

/** The reads that matter most in the past. */
const SHOWN: ReadonlySet<string> = new Set(['entries.read', 'entries.list', 'entries.history', 'entries.search']);

const OF_ALL_BRANCHES: ReadonlySet<string> = new Set(['log.list', 'transfer.export']);

/** Of the figures of golden queries only the last ones are kept, and digests are those of `main` as it is now. */
const NOT_KEPT: ReadonlyMap<string, object> = new Map<string, object>([
  ['stats.read', { retrieval: null }],
  ['briefing.read', { digests: [], total: 0 }],
]);

const DROPPED = new Set([
  ...['branch', 'took_ms', 'duration_ms', 'recall_count', 'total_recalls', 'cursor', 'next_cursor', 'score'],
  // Of the end of the log, and of the last visit.
  ...['last_seq', 'last_position', 'last_visit', 'next_steps', 'tokens'],
]);

/** The answer of a read, without durations, branches and recall counts. */
function plain(given: unknown): unknown {
  return JSON.parse(stringify(given), (name, value) => (DROPPED.has(name) ? undefined : value));
}

async function ask(app: TestApp, name: OperationName, input: JsonObject): Promise<unknown> {
  try {
    return plain(await app.call(name, input as never, as));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, errors } = error.toProblem() as Problem;
    return { code, ...(errors ? { errors } : {}) };
  }
}

/** Writes a new version of everything, deletes an entry, adds one, and ends a session with success. */
async function changeAll(app: TestApp): Promise<void> {
  const { entries } = await app.call('entries.list', { limit: 1000 }, later);
  const writes = entries.map(({ entity_path, key }) => ({ entity_path, key, value: `changed ${MARK}` }));
  await app.call('commits.create', { writes: [...writes, { entity_path: MARK, key: 'new', value: MARK }] }, later);
  const [first] = writes as [(typeof writes)[0], ...typeof writes];
  await app.call('entries.read', { entity_path: first.entity_path, key: first.key }, later);
  await app.call('outcomes.commit', { outcome_ref: 'since', outcome_type: 'success' }, later);
  await app.call('entries.delete', { entity_path: first.entity_path, key: first.key }, later);
}

describe.each(backends)('memory at a tag on %s', (backend) => {
  let app: TestApp;
  let inputs: Map<OperationName, JsonObject>;
  const then = new Map<OperationName, unknown>();
  beforeAll(async () => {
    app = await openTestApp(backend);
    const known = await createExamples(app, { mark: MARK, as });
    // Without a branch, they are about all branches.
    const given = (name: OperationName) => (OF_ALL_BRANCHES.has(name) ? { branch: 'main' } : {});
    inputs = new Map(reading.map((name) => [name, { ...markedInput(name, MARK, known), ...given(name) }]));
    for (const [name, input] of inputs) then.set(name, await ask(app, name, input));
    await app.call('tags.create', { name: 'then' }, as);
    app.clock.advance(1000);
    await changeAll(app);
  });
  afterAll(() => app.close());

  it.each(reading)('%s shows what it showed then, or says that it cannot', async (name) => {
    const now = await ask(app, name, { ...inputs.get(name), branch: 'tags/then' });
    if (!SHOWN.has(name) && isRefused(now)) return;
    expect(now).toEqual({ ...asInPast(then.get(name) as object), ...NOT_KEPT.get(name) });
  });
});

type ListedAgent = { agent_id?: string; entries_written?: number; description?: string | null };

/** In the past, agents are those that wrote what was there, or were described: not senders of events whose entries others wrote over. */
const isListedInPast = ({ agent_id, entries_written, description }: ListedAgent): boolean =>
  !agent_id?.startsWith('external/') && (entries_written !== 0 || description !== null);

function asInPast(answer: object): object {
  const { agents } = answer as { agents?: ListedAgent[] };
  return agents ? { ...answer, agents: agents.filter(isListedInPast) } : answer;
}

const isRefused = (answer: unknown): boolean => {
  const { code, errors } = answer as { code?: string; errors?: { path: string }[] };
  return code === 'invalid_input' && errors?.[0]?.path === 'branch';
};

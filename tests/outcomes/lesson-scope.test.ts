import { type OperationName, parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../packages/server/src/kernel/index.ts';
import { definition, fieldsOf, type JsonObject, outcomeOf, reading } from '../contract/table.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const DOER = { agent_id: 'agent/doer', session_id: 's1' };
const scope = [[parseGlob('inner/**') as never]];
const READER = { agent_id: 'agent/reader', key: { key_id: 'k', name: 'k', type: 'agent' as const, read: scope } };
const LESSON = { entity_path: 'inner/svc', key: 'lesson-contrast-fixed' };

const asked = reading.filter((name) => definition(name).effect === 'read' && !definition(name).admin);

/** What a key could ask about the lesson, and about everything. */
function waysOf(name: OperationName, trace_id: string): JsonObject[] {
  const fields = fieldsOf(name);
  const example = definition(name).example(0) as JsonObject;
  const at = 'key' in fields ? LESSON : 'entity_path' in fields ? { entity_path: 'inner/**' } : {};
  const ways: JsonObject[] = [{ ...example, ...at }];
  if ('query' in fields) ways.push({ query: 'outertext' }, { query: 'innertext' });
  if ('agent_id' in fields) ways.push({ ...example, ...at, agent_id: DOER.agent_id });
  if ('entity' in fields) ways.push({ entity: 'inner/svc', depth: 3 }, { entity: 'fixed', depth: 3 });
  if ('after' in fields) ways.push({ after: 0 });
  if ('outcome_ref' in fields) ways.push({ outcome_ref: 'fixed' });
  if ('trace_id' in fields) ways.push({ trace_id });
  return ways;
}

describe.each(backends)('a lesson of several paths on %s', (backend) => {
  let app: TestApp;
  let trace_id: string;
  beforeAll(async () => {
    app = await openTestApp(backend);
    for (const [entity_path, key] of [
      ['inner/svc', 'right'],
      ['inner/svc', 'wrong'],
      ['outer/svc', 'hiddenkey'],
    ] as const)
      await app.call('entries.write', { entity_path, key, value: 1 }, { agent_id: 'agent/author' });
    const attempt = (causal_entry_keys: string[], summary: string) => ({
      outcome_type: 'minor_failure' as const,
      causal_entry_keys,
      summary,
    });
    const committed = await app.call(
      'outcomes.commit',
      {
        outcome_ref: 'fixed',
        outcome_type: 'success',
        causal_entry_keys: ['inner/svc/right'],
        attempts: [
          attempt(['inner/svc/wrong'], 'innertext'),
          attempt(['outer/svc/hiddenkey'], 'outertext alone'),
          attempt(['inner/svc/wrong', 'outer/svc/hiddenkey'], 'outertext too'),
          attempt([], 'outertext of nothing'),
        ],
      },
      DOER,
    );
    expect(committed.lesson).toMatchObject(LESSON);
    trace_id = committed.trace_id as string;
  });
  afterAll(() => app.close());

  it('says at each path what failed there', async () => {
    const read = async (entity_path: string) =>
      (await app.call('entries.read', { ...LESSON, entity_path }, DOER)).value as JsonObject;
    expect(await read('inner/svc')).toEqual({
      avoid: [{ entity_path: 'inner/svc', key: 'wrong' }],
      resolved_with: [{ entity_path: 'inner/svc', key: 'right' }],
      attempt_summaries: ['innertext'],
      outcome_ref: 'fixed',
    });
    expect(await read('outer/svc')).toMatchObject({
      avoid: [{ entity_path: 'outer/svc', key: 'hiddenkey' }],
      attempt_summaries: ['outertext alone'],
    });
  });

  it.each(asked)('%s shows a key that is kept to one path nothing of the others', async (name) => {
    for (const input of waysOf(name, trace_id)) {
      const seen = await outcomeOf(app, name, { input, as: READER });
      const { query: _, ...answer } = seen;
      expect(JSON.stringify(answer), JSON.stringify(input)).not.toMatch(/outer\/svc|hiddenkey|outertext/);
    }
  });

  const attemptsSeen = async (as: Partial<Caller>) => {
    const [listed] = (await app.call('traces.list', { outcome_ref: 'fixed' }, as)).traces;
    const seen = [
      listed?.attempts,
      (await app.call('traces.read', { trace_id }, as)).attempts,
      (await app.call('sessions.explain', { outcome_ref: 'fixed' }, as)).attempts,
    ].map((attempts) => attempts?.map(({ summary }) => summary));
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
    return seen[0];
  };

  it('comes from a trace that tells of each attempt only what its reader may know', async () => {
    expect(await attemptsSeen(READER)).toEqual(['innertext', null, null, null]);
    const all = ['innertext', 'outertext alone', 'outertext too', 'outertext of nothing'];
    expect(await attemptsSeen({ agent_id: READER.agent_id })).toEqual(all);
  });
});

describe.each(backends)('attempts that a session recorded on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
    for (const entity_path of ['inner/svc', 'outer/svc'])
      await app.call('entries.write', { entity_path, key: 'kk', value: 1 }, { agent_id: 'agent/author' });
  });
  afterAll(() => app.close());

  const scoped = { ...DOER, key: READER.key };
  const readAt = (entity_path: string, as: Partial<Caller>) => app.call('entries.read', { entity_path, key: 'kk' }, as);
  const fail = (summary: string, as: Partial<Caller>) => app.call('sessions.record_attempt', { summary }, as);
  const explained = async (input: { outcome_ref?: string }, as: Partial<Caller>) =>
    (await app.call('sessions.explain', input, as)).attempts.map(({ summary }) => summary);

  it('are shown to a key with a scope as far as they read within it, open and sealed', async () => {
    const session = { session_id: 'recorded' };
    const doer = { ...DOER, ...session };
    await readAt('outer/svc', doer);
    await fail('outertext', doer);
    await readAt('inner/svc', doer);
    await fail('innertext', doer);
    await readAt('inner/svc', doer);
    await readAt('outer/svc', doer);
    await fail('outertext too', doer);
    await fail('outertext of nothing', doer);
    await readAt('inner/svc', doer);
    const expected = [null, 'innertext', null, null];
    expect(await explained({}, { ...scoped, ...session })).toEqual(expected);
    await app.call(
      'outcomes.commit',
      { outcome_ref: 'recorded', outcome_type: 'success', causal_entry_keys: ['inner/svc/kk'] },
      doer,
    );
    expect(await explained({ outcome_ref: 'recorded' }, READER)).toEqual(expected);
    expect(await explained({ outcome_ref: 'recorded' }, DOER)).not.toContain(null);
  });

  it('are shown whole where everything lies within the scope', async () => {
    const doer = { ...DOER, session_id: 'within' };
    await fail('of nothing', doer);
    await readAt('inner/svc', doer);
    await app.call('outcomes.commit', { outcome_ref: 'within', outcome_type: 'success' }, doer);
    expect(await explained({ outcome_ref: 'within' }, READER)).toEqual(['of nothing']);
  });

  it('count as reported when the end tells of them again, whatever the session read before', async () => {
    const doer = { ...DOER, session_id: 'retold' };
    await readAt('outer/svc', doer);
    await readAt('inner/svc', doer);
    const attempt = (causal_entry_keys: string[], summary: string) => ({ causal_entry_keys, summary });
    const attempts = [
      attempt(['inner/svc/kk'], 'innertext'),
      attempt(['inner/svc/kk', 'outer/svc/kk'], 'outertext'),
      attempt(['inner/svc/kk', 'outer/svc/gone'], 'outertext of what is not there'),
    ];
    const causal_entry_keys = ['inner/svc/kk'];
    const outcome = { outcome_ref: 'retold', outcome_type: 'success' as const, causal_entry_keys, attempts };
    await app.call('outcomes.commit', outcome as never, doer);
    expect(await explained({ outcome_ref: 'retold' }, READER)).toEqual(['innertext', null, null]);
  });

  it('give a key with a scope that ends the session no words for a lesson within it', async () => {
    const session = { session_id: 'ended' };
    await readAt('outer/svc', { ...DOER, ...session });
    await fail('outertext', { ...DOER, ...session });
    await readAt('inner/svc', { ...DOER, ...session });
    const key = { ...READER.key, write: scope };
    const { lesson } = await app.call(
      'outcomes.commit',
      { outcome_ref: 'ended', outcome_type: 'success' },
      { ...DOER, ...session, key },
    );
    expect(lesson).toBeNull();
  });
});

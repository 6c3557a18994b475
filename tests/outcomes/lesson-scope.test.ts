import { type OperationName, parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definition, fieldsOf, type JsonObject, outcomeOf, reading } from '../contract/table.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const DOER = { agent_id: 'agent/doer', session_id: 's1' };
const scope = [[parseGlob('inner/**') as never]];
const READER = { agent_id: 'agent/reader', key: { key_id: 'k', name: 'k', type: 'agent' as const, read: scope } };
const LESSON = { entity_path: 'inner/svc', key: 'lesson-contrast-fixed' };

/** The texts of a trace are about no path, and shown to every key that may read a part of it. */
const asked = reading.filter(
  (name) =>
    definition(name).effect === 'read' && !definition(name).admin && !/^(traces\.|sessions\.explain)/.test(name),
);

/** What a key could ask about the lesson, and about everything. */
function waysOf(name: OperationName): JsonObject[] {
  const fields = fieldsOf(name);
  const example = definition(name).example(0) as JsonObject;
  const at = 'key' in fields ? LESSON : 'entity_path' in fields ? { entity_path: 'inner/**' } : {};
  const ways: JsonObject[] = [{ ...example, ...at }];
  if ('query' in fields) ways.push({ query: 'outertext' }, { query: 'innertext' });
  if ('agent_id' in fields) ways.push({ ...example, ...at, agent_id: DOER.agent_id });
  if ('entity' in fields) ways.push({ entity: 'inner/svc', depth: 3 }, { entity: 'fixed', depth: 3 });
  if ('after' in fields) ways.push({ after: 0 });
  if ('outcome_ref' in fields) ways.push({ outcome_ref: 'fixed' });
  return ways;
}

describe.each(backends)('a lesson of several paths on %s', (backend) => {
  let app: TestApp;
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
    const { lesson } = await app.call(
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
    expect(lesson).toMatchObject(LESSON);
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
    for (const input of waysOf(name)) {
      const seen = await outcomeOf(app, name, { input, as: READER });
      const { query: _, ...answer } = seen;
      expect(JSON.stringify(answer), JSON.stringify(input)).not.toMatch(/outer\/svc|hiddenkey|outertext/);
    }
  });
});

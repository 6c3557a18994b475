import { Fault, type OperationName, operations, type Problem, stringify } from '@mem-service/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fieldsOf, type Json, layExamples, markedInput } from '../../../tests/contract/table.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const MARK = 'past';
const as = { agent_id: 'agent/past', session_id: 'past' };

const reading = (Object.keys(operations) as OperationName[]).filter(
  (name) => operations[name].effect === 'read' && 'branch' in fieldsOf(name),
);

/** What a read says, without how long it took, where it looked, and how often entries were read since. */
function plain(given: unknown): unknown {
  const dropped = new Set(['branch', 'took_ms', 'duration_ms', 'recall_count', 'cursor', 'next_cursor']);
  return JSON.parse(stringify(given), (name, value) => (dropped.has(name) ? undefined : value));
}

async function ask(app: TestApp, name: OperationName, input: Json): Promise<unknown> {
  try {
    return plain(await app.call(name, input as never, as));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, errors } = error.toProblem() as Problem;
    return { code, ...(errors ? { errors } : {}) };
  }
}

describe.each(backends)('memory at a tag on %s', (backend) => {
  it.each(reading)('%s shows what it showed then, or says that it cannot', async (name) => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    const known = await layExamples(app, { mark: MARK, as });
    const input = markedInput(name, MARK, known);
    await app.kernel.services.observations.settleAll(as.agent_id);
    const then = await ask(app, name, input);
    await app.call('tags.create', { name: 'then' }, as);
    app.clock.advance(1000);
    await layExamples(app, { mark: MARK, as });
    await app.call('entries.write', { entity_path: `${MARK}/checkout/payments`, key: 'since', value: MARK }, as);
    const now = await ask(app, name, { ...input, branch: 'tags/then' });
    if (isRefused(now)) return;
    expect(now).toEqual(then);
  });
});

const isRefused = (answer: unknown): boolean => {
  const { code, errors } = answer as { code?: string; errors?: { path: string }[] };
  return code === 'invalid_input' && errors?.[0]?.path === 'branch';
};

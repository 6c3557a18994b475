import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const at = (key: string) => ({ entity_path: 'checkout', key });

describe.each(backends)('the branch of a session on %s', (backend) => {
  let app: TestApp;
  let n = 0;

  beforeEach(async () => {
    app = await openTestApp(backend);
    await app.call('entries.write', { ...at('inherited'), value: 1 });
    await app.call('branches.create', { name: 'exp' });
    await app.call('entries.write', { ...at('own'), value: 2, branch: 'exp' });
  });

  afterEach(() => app.close());

  const newSession = () => ({ agent_id: 'agent/doer', session_id: `s${n++}` });
  const read = (key: string, branch: string, session: object) =>
    app.call('entries.read', { ...at(key), branch }, session);
  const judge = (session: object, given: object = {}) =>
    app.call('outcomes.commit', { outcome_ref: `run-${n++}`, outcome_type: 'failure', ...given }, session);
  const confidence = async (key: string, branch: string) => {
    const { entries } = await app.call('entries.list', { entity_path: 'checkout', branch });
    return entries.find((entry) => entry.key === key)?.confidence;
  };
  const credited = ({ entries }: Awaited<ReturnType<typeof judge>>) =>
    entries.map(({ key, branch, applied }) => ({ key, branch, applied }));
  const traceOf = async ({ trace_id }: Awaited<ReturnType<typeof judge>>) =>
    app.call('traces.read', { trace_id: trace_id as string });

  it('is where it read: its outcome counts there, and not on main', async () => {
    const session = newSession();
    const before = await confidence('inherited', 'main');
    for (const key of ['inherited', 'own']) await read(key, 'exp', session);
    const outcome = await judge(session);
    expect(outcome).toMatchObject({ branch: 'exp', attributes: { memory_branch: 'exp' } });
    expect(credited(outcome)).toEqual([
      { key: 'inherited', branch: 'exp', applied: true },
      { key: 'own', branch: 'exp', applied: true },
    ]);
    expect(await confidence('inherited', 'main')).toBe(before);
    expect(await confidence('inherited', 'exp')).toBeLessThan(before as number);
    const trace = await traceOf(outcome);
    expect(trace.branch).toBe('exp');
    // One read is one entry of the trace, also of what the branch inherits.
    expect(trace.causal_entries.map(({ key, branch, version }) => ({ key, branch, version }))).toEqual([
      { key: 'inherited', branch: 'exp', version: 1 },
      { key: 'own', branch: 'exp', version: 1 },
    ]);
  });

  it('is known once its reads are stored, and by lists and searches too', async () => {
    const session = newSession();
    await app.call('entries.list', { entity_path: 'checkout', branch: 'exp' }, session);
    await app.call('sessions.explain', {}, session);
    const used = [{ ...at('inherited') }];
    expect(credited(await judge(session, { used }))).toEqual([{ key: 'inherited', branch: 'exp', applied: true }]);
  });

  it('is where it wrote last, if it read nothing, and ends with its outcome', async () => {
    const session = newSession();
    await app.call('entries.write', { ...at('new'), value: 3, branch: 'exp' }, session);
    expect((await judge(session)).branch).toBe('exp');
    expect((await judge(session)).branch).toBe('main');
  });

  it('is the last of several, and what was read elsewhere is not judged', async () => {
    const session = newSession();
    await read('inherited', 'exp', session);
    await read('inherited', 'main', session);
    const outcome = await judge(session);
    expect(credited(outcome)).toEqual([{ key: 'inherited', branch: 'main', applied: true }]);
    expect(outcome.attributes).not.toHaveProperty('memory_branch');
    const { causal_entries } = await traceOf(outcome);
    expect(causal_entries.map(({ branch }) => branch)).toEqual(['exp', 'main']);
    const other = newSession();
    await read('inherited', 'main', other);
    await read('own', 'exp', other);
    expect(credited(await judge(other))).toEqual([{ key: 'own', branch: 'exp', applied: true }]);
  });

  it('gives way to a branch that the call or the client names', async () => {
    const session = newSession();
    await read('inherited', 'exp', session);
    expect(await judge(session, { branch: 'main' })).toMatchObject({ branch: 'main', entries: [] });
    await read('inherited', 'exp', session);
    expect((await judge({ ...session, branch: 'main' })).branch).toBe('main');
  });

  it('is told by the service alone', async () => {
    const outcome = await judge(newSession(), { attributes: { memory_branch: 'lie' } });
    expect(outcome.attributes).not.toHaveProperty('memory_branch');
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rowsOf } from '../entries/support.ts';
import { AUTHOR, flush, keysOf, newSession, OTHER } from '../sessions/support.ts';
import { type Backend, backends, openTestApp, readyPlace, type TestApp } from '../support/app.ts';

const MARK = 'zqvxalbatross7341';
const erasedKey = { entity_path: `people/${MARK}`, key: `${MARK}-mail` };
const kept = { entity_path: 'other/people', key: 'mail' };

async function open(backend: Backend): Promise<TestApp> {
  const place = await readyPlace(backend);
  const app = await openTestApp(backend, { place, settings: { trace_signing_key: 'a key of the operator' } });
  onTestFinished(async () => {
    await app.close().catch(() => {});
    await place.remove();
  });
  return app;
}

/** Reads, queries, refusals, writes and contexts about the entry, in a session that stays open and in one that is sealed. */
async function fill(app: TestApp) {
  await app.call('entries.write', { ...erasedKey, value: `${MARK} one`, confidence: 0.7 }, AUTHOR);
  await app.call('entries.write', { ...kept, value: 'kept', confidence: 0.7 }, AUTHOR);
  const open = newSession();
  const sealed = newSession();
  const after = newSession();
  const use = async (as: object) => {
    await app.call('entries.read', erasedKey, as);
    await app.call('entries.read', kept, as);
    await app.call('entries.list', { entity_path: erasedKey.entity_path }, as);
    await expect(app.call('entries.read', { ...erasedKey, key: `${MARK}-none` }, as)).rejects.toThrow();
    await app.call('entries.write', { ...erasedKey, value: `${MARK} by ${JSON.stringify(as)}` }, as);
    await expect(app.call('entries.write', { ...erasedKey, value: 1, if_version: 99 }, as)).rejects.toThrow();
  };
  const outcome = (outcome_ref: string) => ({ outcome_ref, outcome_type: 'success' as const });
  await use(sealed);
  const { trace_id } = await app.call('outcomes.commit', outcome('sealed'), sealed);
  // The chain goes on after it.
  await app.call('outcomes.commit', outcome('next'), sealed);
  await use(open);
  await app.call('entries.read', erasedKey, after);
  await app.call('entries.write', { ...erasedKey, value: `${MARK} changed` }, AUTHOR);
  await expect(app.call('outcomes.commit', { ...outcome('x'), if_unchanged: true }, after)).rejects.toThrow();
  await app.call('outcomes.commit', { ...outcome('named'), causal_entry_keys: [erasedKey, kept] }, newSession());
  return { open, after, trace_id: trace_id as string };
}

async function tablesWith(app: TestApp, text: string): Promise<string[]> {
  const tables = [
    'events audit stored_answers entries versions counts commits agents sessions session_reads session_items',
    'outcomes evidence traces trace_items edges edge_statements',
  ];
  const found: string[] = [];
  for (const table of tables.join(' ').split(' '))
    if (JSON.stringify(await rowsOf(app, `SELECT * FROM ${table}`)).includes(text)) found.push(table);
  return found;
}

describe.each(backends)('erasing an entry, on %s', (backend) => {
  it('takes its names and values out of traces, sessions and evidence, and what is left can still be proven', async () => {
    const app = await open(backend);
    const { open: session, trace_id } = await fill(app);
    await flush(app);
    expect(await tablesWith(app, MARK)).toEqual(expect.arrayContaining(['session_items', 'evidence', 'trace_items']));
    const planned = await app.call('entries.erase', { entity_path: 'people/**', dry_run: true });
    const { erased } = await app.call('entries.erase', { entity_path: 'people/**' });
    expect(erased).toEqual(planned.erased);
    expect(erased.session_records).toBeGreaterThan(0);
    expect(erased.evidence).toBe(2);
    expect(erased.trace_parts).toBeGreaterThan(0);
    expect(await tablesWith(app, MARK)).toEqual([]);
    const trace = await app.call('traces.read', { trace_id });
    expect(trace.causal_entries).toMatchObject([{ ...kept, version: 1, value: 'kept' }]);
    expect(keysOf(trace.state_diff.confidence_changes)).toEqual(['mail']);
    const explained = await app.call('sessions.explain', {}, session);
    expect(explained.causal_entries).toMatchObject([kept]);
    const answers = [trace, explained, await app.call('outcomes.list', {}), await app.call('traces.list', {})];
    expect(JSON.stringify(answers)).not.toContain(MARK);
    expect(await app.call('traces.verify', {})).toMatchObject({ total_checked: 3, valid: 3, problems: [] });
    expect(await app.call('entries.confidence', kept)).toMatchObject({ recomputed: { matches: true } });
  });

  it('reaches what was noted a moment before it', async () => {
    const app = await open(backend);
    await app.call('entries.write', { ...erasedKey, value: MARK }, AUTHOR);
    const session = newSession();
    await app.call('entries.read', erasedKey, session);
    await app.call('entries.list', { entity_path: erasedKey.entity_path }, session);
    await app.call('entries.erase', { entity_path: 'people/**' }, OTHER);
    await flush(app);
    expect(await tablesWith(app, MARK)).toEqual([]);
    expect(await app.call('sessions.explain', {}, session)).toMatchObject({ causal_entries: [], query_events: [] });
  });

  it('reaches what its author did with it while it was private', async () => {
    const app = await open(backend);
    const keeper = newSession('agent/keeper');
    await app.call('entries.write', { ...erasedKey, value: MARK, shared: false }, keeper);
    await app.call('entries.read', erasedKey, keeper);
    const outcome = { outcome_ref: 'private', outcome_type: 'success' as const };
    const { trace_id } = await app.call('outcomes.commit', outcome, keeper);
    await app.call('entries.write', { ...erasedKey, value: MARK, shared: true }, keeper);
    await app.call('entries.erase', { entity_path: 'people/**' }, OTHER);
    expect(await tablesWith(app, MARK)).toEqual([]);
    expect(await app.call('traces.verify', { trace_id: trace_id as string }, keeper)).toMatchObject({ valid: 1 });
  });

  it('does not touch private entries of another agent', async () => {
    const app = await open(backend);
    const keeper = newSession('agent/keeper');
    await app.call('entries.write', { ...erasedKey, value: MARK, shared: false }, keeper);
    await app.call('entries.read', erasedKey, keeper);
    const outcome = { outcome_ref: 'private', outcome_type: 'success' as const };
    const { trace_id } = await app.call('outcomes.commit', outcome, keeper);
    await app.call('entries.read', erasedKey, keeper);
    const { erased } = await app.call('entries.erase', { entity_path: 'people/**' }, OTHER);
    expect(erased).toMatchObject({ entries: 0, session_records: 0, evidence: 0, trace_parts: 0 });
    const trace = await app.call('traces.read', { trace_id: trace_id as string }, keeper);
    expect(trace.causal_entries).toMatchObject([{ ...erasedKey, value: MARK }]);
    expect(keysOf((await app.call('sessions.explain', {}, keeper)).causal_entries)).toEqual([erasedKey.key]);
  });
});

describe('what is left of an erased entry in the files of SQLite', () => {
  it('nothing, once the erasure was compacted', async () => {
    const app = await open('sqlite');
    const folder = app.place.options.dataDir;
    const files = () =>
      readdirSync(folder).filter((file) => readFileSync(join(folder, file)).toString('latin1').includes(MARK));
    await fill(app);
    await flush(app);
    expect(files()).not.toEqual([]);
    await app.call('entries.erase', { entity_path: 'people/**' });
    await app.jobs.sweep();
    expect(files()).toEqual([]);
  });
});

describe.each(backends)('an erasure that arrives together with writes, on %s', (backend) => {
  it('leaves no name of them behind', async () => {
    const app = await open(backend);
    const write = (n: number) =>
      app.call(
        'entries.write',
        { ...erasedKey, key: `${MARK}-${n}`, value: MARK },
        { ...AUTHOR, idempotency_key: `w${n}` },
      );
    await Promise.all([write(1), write(2), app.call('entries.erase', { entity_path: 'people/**' }, OTHER)]);
    expect(await tablesWith(app, MARK)).toEqual([]);
    expect((await app.call('log.list', {})).events.map(({ event_type }) => event_type)).toEqual([
      'write',
      'write',
      'erase',
    ]);
  });
});

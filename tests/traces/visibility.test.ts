import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flush, keysOf, newPath, newSession } from '../sessions/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const OTHER = { agent_id: 'agent/other' };

describe.each(backends)('what another agent sees of a session, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  /** A session that reads and writes shared and private entries. */
  async function work(keys: readonly ('open' | 'secret')[], as = newSession('agent/keeper')) {
    const entity_path = newPath();
    for (const key of keys) {
      const shared = key === 'open';
      await app.call('entries.write', { entity_path, key, value: `${key} ${entity_path}`, shared }, as);
      await app.call('entries.read', { entity_path, key }, as);
    }
    const outcome_ref = newPath();
    const answer = await app.call('outcomes.commit', { outcome_ref, outcome_type: 'success' }, as);
    return { as, entity_path, outcome_ref, answer, trace_id: answer.trace_id as string };
  }

  it('a trace without the private entries that it read, wrote and moved', async () => {
    const { as, entity_path, outcome_ref, trace_id } = await work(['open', 'secret', 'open', 'secret']);
    const own = await app.call('traces.read', { trace_id }, as);
    expect(keysOf(own.causal_entries)).toEqual(['open', 'secret']);
    expect(own.state_diff).toMatchObject({ entries_created: 2 });
    const seen = await app.call('traces.read', { trace_id }, OTHER);
    expect(seen.causal_entries).toMatchObject([{ entity_path, key: 'open', value: `open ${entity_path}` }]);
    expect(seen.state_diff).toMatchObject({ entries_created: 1, entries_updated: 0 });
    expect(keysOf(seen.state_diff.confidence_changes)).toEqual(['open']);
    const [listed] = (await app.call('traces.list', { outcome_ref }, OTHER)).traces;
    expect(keysOf(listed?.causal_entries ?? [])).toEqual(['open']);
    const explained = await app.call('sessions.explain', { outcome_ref }, OTHER);
    expect(explained).toMatchObject({ causal_chain_length: 1, causal_entries: [{ key: 'open' }] });
    const { outcomes } = await app.call('outcomes.list', { outcome_ref }, OTHER);
    expect(outcomes).toMatchObject([{ entries: [{ key: 'open' }] }]);
    for (const shown of [seen, listed, explained, outcomes]) expect(JSON.stringify(shown)).not.toContain('secret');
    // The hash still covers all parts.
    expect(await app.call('traces.verify', { trace_id }, OTHER)).toMatchObject({ valid: 1, problems: [] });
  });

  it('nothing of a trace or an outcome whose causes are all private', async () => {
    const { as, outcome_ref, trace_id, entity_path } = await work(['secret']);
    expect((await app.call('traces.list', { outcome_ref }, OTHER)).traces).toEqual([]);
    expect((await app.call('outcomes.list', { outcome_ref }, OTHER)).outcomes).toEqual([]);
    await expect(app.call('traces.read', { trace_id }, OTHER)).rejects.toMatchObject({ code: 'not_found' });
    await expect(app.call('traces.verify', { trace_id }, OTHER)).rejects.toMatchObject({ code: 'not_found' });
    for (const input of [{ outcome_ref }, { trace_id }])
      await expect(app.call('sessions.explain', input, OTHER)).rejects.toMatchObject({ code: 'not_found' });
    await flush(app);
    const { events } = await app.call('log.list', { limit: 1000 }, OTHER);
    expect(JSON.stringify(events)).not.toContain(outcome_ref);
    expect(JSON.stringify(events)).not.toContain(entity_path);
    expect((await app.call('traces.list', { outcome_ref }, as)).traces).toHaveLength(1);
  });

  it('no trace by the path of a private entry that it read', async () => {
    const as = newSession('agent/keeper');
    const entity_path = newPath();
    await app.call('entries.write', { entity_path, key: 'secret', value: 1, shared: false }, as);
    await app.call('entries.read', { entity_path, key: 'secret' }, as);
    const { outcome_ref } = await work(['open'], as);
    const refs = async (viewer: object) =>
      (await app.call('traces.list', { entity_path }, viewer)).traces.map((trace) => trace.outcome_ref);
    expect(await refs(as)).toEqual([outcome_ref]);
    expect(await refs(OTHER)).toEqual([]);
    const outcomes = async (viewer: object) =>
      (await app.call('outcomes.list', { entity_path }, viewer)).outcomes.map((outcome) => outcome.outcome_ref);
    expect(await outcomes(as)).toEqual([outcome_ref]);
    expect(await outcomes(OTHER)).toEqual([]);
  });

  it('no question whose answer held private entries, and so not how many', async () => {
    const as = newSession('agent/keeper');
    const entity_path = newPath();
    await app.call('entries.write', { entity_path, key: 'open', value: 'word' }, as);
    await app.call('entries.list', { entity_path }, as);
    await app.call('entries.write', { entity_path, key: 'secret', value: 'word', shared: false }, as);
    await app.call('entries.list', { entity_path }, as);
    await app.call('entries.search', { entity_path, query: 'word' }, as);
    await app.call('entries.aggregate', { entity_path, op: 'count' }, as);
    await app.call('entries.read', { entity_path, key: 'open' }, as);
    const { trace_id } = await app.call('outcomes.commit', { outcome_ref: newPath(), outcome_type: 'success' }, as);
    const counts = async (viewer: object) =>
      (await app.call('traces.read', { trace_id: trace_id as string }, viewer)).query_events.map(
        ({ operation, result_count }) => `${operation} ${result_count}`,
      );
    expect(await counts(as)).toEqual(['list 1', 'list 2', 'search 2', 'aggregate 2']);
    expect(await counts(OTHER)).toEqual(['list 1']);
  });

  it('no refusal that names an entry, which may be private', async () => {
    const as = newSession('agent/keeper');
    const secret = { entity_path: newPath(), key: 'secret' };
    await app.call('entries.write', { ...secret, value: 1, shared: false }, as);
    await app.call('entries.read', secret, as);
    await app.call('entries.write', { ...secret, value: 2 }, newSession('agent/keeper'));
    const outcome = { outcome_ref: newPath(), outcome_type: 'success' as const, causal_entry_keys: [] };
    await expect(app.call('outcomes.commit', { ...outcome, if_unchanged: true }, as)).rejects.toMatchObject({
      code: 'stale_reads',
    });
    app.clock.advance(1000);
    await app.call('sessions.record_error', { error_type: 'told', message: 'by the agent' }, as);
    const { trace_id } = await app.call('outcomes.commit', outcome, as);
    const errors = async (viewer: object) =>
      (await app.call('traces.read', { trace_id: trace_id as string }, viewer)).error_events.map(
        ({ error_type }) => error_type,
      );
    expect(await errors(as)).toEqual(['stale_reads', 'told']);
    expect(await errors(OTHER)).toEqual(['told']);
  });

  it('by no filter that a session had an error which only its agent may see', async () => {
    const as = newSession('agent/keeper');
    const secret = { entity_path: newPath(), key: 'secret' };
    await app.call('entries.write', { ...secret, value: 1, shared: false }, as);
    await app.call('entries.read', secret, as);
    await app.call('entries.write', { ...secret, value: 2 }, newSession('agent/keeper'));
    const outcome = { outcome_ref: newPath(), outcome_type: 'success' as const, causal_entry_keys: [] };
    await expect(app.call('outcomes.commit', { ...outcome, if_unchanged: true }, as)).rejects.toMatchObject({
      code: 'stale_reads',
    });
    await app.call('outcomes.commit', outcome, as);
    const { outcome_ref } = outcome;
    const found = async (has_error: boolean, viewer: object) =>
      (await app.call('traces.list', { outcome_ref, has_error }, viewer)).traces.length;
    expect([await found(true, as), await found(false, as)]).toEqual([1, 0]);
    expect([await found(true, OTHER), await found(false, OTHER)]).toEqual([0, 1]);
  });

  it('in the log how many entries an outcome moved that it may see', async () => {
    const { outcome_ref } = await work(['open', 'secret']);
    const { events } = await app.call('log.list', { limit: 1000 }, OTHER);
    const event = events.find(({ details }) => details.outcome_ref === outcome_ref);
    expect(event?.details).toMatchObject({ causal_entries: 1, entries_updated: 1 });
  });

  it('the version that was shared, and not the one before or after it', async () => {
    const keeper = newSession('agent/keeper');
    const at = { entity_path: newPath(), key: 'turns' };
    const versions = [
      { value: 'first', shared: false },
      { value: 'second', shared: true },
      { value: 'third', shared: false },
    ];
    for (const version of versions) {
      await app.call('entries.write', { ...at, ...version }, keeper);
      await app.call('entries.read', at, keeper);
    }
    await app.call('sessions.record_context', { label: 'x', summary: '' }, keeper);
    const outcome = { outcome_ref: newPath(), outcome_type: 'success' as const, causal_entry_keys: [] };
    const { trace_id } = await app.call('outcomes.commit', outcome, keeper);
    const values = async (viewer: object) =>
      (await app.call('traces.read', { trace_id: trace_id as string }, viewer)).causal_entries.map(
        ({ value }) => value,
      );
    expect(await values(keeper)).toEqual(['first', 'second', 'third']);
    expect(await values(OTHER)).toEqual(['second']);
  });
});

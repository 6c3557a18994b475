import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { changeRows, rowsOf } from '../entries/support.ts';
import { newPath, newSession, OTHER, writeAll } from '../sessions/support.ts';
import { backends, openTestApp, readyPlace, type TestApp } from '../support/app.ts';

const KEY = 'a key of the operator';

describe.each(backends)('sealed traces on %s', (backend) => {
  let app: TestApp;
  let chain: { trace_id: string; seq: number }[];
  beforeAll(async () => {
    app = await openTestApp(backend, { settings: { trace_signing_key: KEY } });
  });
  afterAll(() => app.close());

  const seal = async (target: TestApp, session: object, input: object = {}) => {
    const outcome = { outcome_ref: newPath(), outcome_type: 'success' as const, task_input: 'task', ...input };
    const { trace_id, seq } = await target.call('outcomes.commit', outcome, session);
    return { trace_id: trace_id as string, seq };
  };

  /** Three traces of one session, with parts. */
  beforeEach(async () => {
    const session = newSession();
    const at = { entity_path: newPath(), key: 'policy' };
    await writeAll(app, [at]);
    chain = [];
    for (let i = 0; i < 3; i++) {
      await app.call('entries.read', at, session);
      await app.call('sessions.record_context', { label: 'a', summary: `${i}` }, session);
      await app.call('sessions.record_action', { tool_name: 'deploy' }, session);
      chain.push(await seal(app, session));
    }
  });

  const at = (i: number) => chain[i] as { trace_id: string; seq: number };
  const check = async (i: number, target = app) => {
    const { problems, total_checked } = await target.call('traces.verify', { trace_id: at(i).trace_id }, OTHER);
    expect(total_checked).toBe(1);
    return problems.map(({ reason }) => reason);
  };
  const change = (text: string, i: number) => changeRows(app, text, at(i).seq);

  it('are numbered and tied to each other, and signed', async () => {
    const traces = await Promise.all(chain.map(({ trace_id }) => app.call('traces.read', { trace_id })));
    expect(traces.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(traces.map(({ parent_hash }) => parent_hash)).toEqual([null, traces[0]?.hash, traces[1]?.hash]);
    for (const { hash, signature, key_id } of traces) {
      expect(hash).toMatch(/^[0-9a-f]{64}$/);
      expect(signature).toMatch(/^[0-9a-f]{64}$/);
      expect(key_id).toMatch(/^[0-9a-f]{16}$/);
      expect(JSON.stringify([signature, key_id])).not.toContain(KEY);
    }
    expect([await check(0), await check(1), await check(2)]).toEqual([[], [], []]);
  });

  it.each([
    ["header = replace(header, 'task', 'tusk')"],
    ["outcome_type = 'failure'"],
    ["agent_id = 'agent/forged'"],
    ['created_at = created_at + 1'],
    ["visible_to = 'agent/other'"],
    ["outcome_ref = 'forged'"],
  ])('whose head was changed (%s) are found', async (what) => {
    await change(`UPDATE traces SET ${what} WHERE seq = ?`, 1);
    expect(await check(1)).toEqual(['changed']);
    await change('DELETE FROM traces WHERE seq = ?', 1);
  });

  it.each([
    ['data = replace(data, \'"summary":"1"\', \'"summary":"2"\') WHERE kind = \'context\' AND'],
    ["visible_to = 'agent/x' WHERE kind = 'action' AND"],
    ["key = 'forged' WHERE kind = 'read' AND"],
    ["entity_path = 'forged' WHERE kind = 'read' AND"],
    ["entry_id = entry_id + 1 WHERE kind = 'read' AND"],
    ["kind = 'error' WHERE kind = 'context' AND"],
  ])('with a part that was changed (%s …) are found', async (what) => {
    expect(await change(`UPDATE trace_items SET ${what} seq = ?`, 1)).toBe(1);
    expect(await check(1)).toEqual(['part_changed']);
    expect(await check(2)).toEqual([]);
  });

  it('with a part that was taken out, from the middle or the end, or added, are found', async () => {
    await change("DELETE FROM trace_items WHERE kind = 'context' AND seq = ?", 0);
    expect(await check(0)).toEqual(['part_missing']);
    await change("DELETE FROM trace_items WHERE kind = 'action' AND seq = ?", 1);
    expect(await check(1)).toEqual(['changed']);
    await change(
      `INSERT INTO trace_items (account_id, seq, no, kind, visible_to, data, hash)
       SELECT account_id, seq, 3, kind, visible_to, data, hash FROM trace_items WHERE kind = 'action' AND seq = ?`,
      2,
    );
    expect(await check(2)).toEqual(['changed']);
  });

  it('with a part whose hash was changed to fit are found', async () => {
    const other = "(SELECT x.hash FROM trace_items AS x WHERE x.seq = trace_items.seq AND x.kind = 'action')";
    await change(`UPDATE trace_items SET data = NULL, hash = ${other} WHERE kind = 'context' AND seq = ?`, 1);
    expect(await check(1)).toEqual(['changed']);
  });

  it('before which one was taken out of the chain are found', async () => {
    await change('DELETE FROM traces WHERE seq = ?', 1);
    expect(await check(0)).toEqual([]);
    expect(await check(2)).toEqual(['chain_broken']);
    await change('DELETE FROM traces WHERE seq = ?', 0);
    expect(await check(2)).toEqual(['chain_broken']);
  });

  it('that were sealed again without the key are found', async () => {
    await change(`UPDATE traces SET signature = '${'0'.repeat(64)}' WHERE seq = ?`, 1);
    expect(await check(1)).toEqual(['bad_signature']);
    await change('UPDATE traces SET signature = NULL WHERE seq = ?', 2);
    expect(await check(2)).toEqual(['bad_signature']);
  });

  it('that are said to have another key or none are found', async () => {
    await change(`UPDATE traces SET key_id = '${'0'.repeat(16)}' WHERE seq = ?`, 1);
    expect(await check(1)).toEqual(['changed']);
    await change('UPDATE traces SET signature = NULL, key_id = NULL WHERE seq = ?', 2);
    expect(await check(2)).toEqual(['changed']);
  });

  it('are all verified, page by page, oldest first', async () => {
    const own = await openTestApp(backend);
    onTestFinished(() => own.close());
    const sealed = [];
    for (let i = 0; i < 5; i++) sealed.push(await seal(own, newSession()));
    await changeRows(own, "UPDATE traces SET outcome_ref = 'x' WHERE seq = ?", sealed[3]?.seq as number);
    const first = await own.call('traces.verify', { limit: 3 });
    expect(first).toMatchObject({ total_checked: 3, valid: 3, problems: [], has_more: true });
    const second = await own.call('traces.verify', { limit: 3, cursor: first.next_cursor as string });
    expect(second).toMatchObject({ total_checked: 2, valid: 1, has_more: false, next_cursor: null });
    expect(second.problems).toMatchObject([{ trace_id: sealed[3]?.trace_id, reason: 'changed' }]);
    await expect(own.call('traces.verify', { trace_id: 'none' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('sealed without a key stay valid, and those of another key name it', async () => {
    const place = await readyPlace(backend);
    onTestFinished(() => place.remove());
    const session = newSession();
    const inTurn = async (trace_signing_key: string | null, use: (turn: TestApp) => Promise<void>) => {
      const turn = await openTestApp(backend, { place, settings: { trace_signing_key } });
      await use(turn).finally(() => turn.close());
    };
    await inTurn(null, async (turn) => void (await seal(turn, session)));
    await inTurn(KEY, async (turn) => {
      await seal(turn, session);
      expect(await turn.call('traces.verify', {})).toMatchObject({ total_checked: 2, valid: 2 });
      const rows = await rowsOf(turn, 'SELECT signature FROM traces ORDER BY seq');
      expect(rows.map(({ signature }) => signature === null)).toEqual([true, false]);
    });
    await inTurn('another key of the operator', async (turn) => {
      expect((await turn.call('traces.verify', {})).problems).toMatchObject([{ reason: 'unknown_key' }]);
    });
  });
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { refusal } from '../../../tests/entries/support.ts';
import { patternsIn, scanned } from '../../../tests/evaluation/pattern-scans.ts';
import { CASES, makePatternWorld, playPatternWorld } from '../../../tests/evaluation/pattern-world.ts';
import { backends, caller, openTestApp, type TestApp } from '../../../tests/support/app.ts';
import { longestTurn } from '../../../tests/support/turns.ts';
import { unchanged } from '../../server/src/module.ts';
import { getScan, upsertScans } from '../src/patterns/queries.ts';

const DAY_MS = 86_400_000;

/** One agent states this, and another one that. */
async function contradict(app: TestApp, entity_path: string, more: object = {}): Promise<void> {
  const write = (agent_id: string, key: string, value: string) =>
    app.call('entries.write', { entity_path, key, value, ...more } as never, { agent_id });
  await write('agent/a', 'timeout_ms', 'the gateway waits 30 seconds');
  await write('agent/b', 'timeoutMs', 'the gateway waits 60 seconds');
}

describe.each(backends)('patterns on %s', (backend) => {
  const open = async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    return app;
  };

  it('of every type are found with evidence and a severity, and nothing changes when they are found again', async () => {
    const app = await open();
    const world = makePatternWorld(3);
    await playPatternWorld(app, world);
    expect(await scanned(app)).toMatchObject({ status: 'done', phase: 'ended', progress: 1 });
    const patterns = await patternsIn(app);
    expect(patterns.length).toBe(world.expected.length);
    for (const { pattern_id, ...listed } of patterns) {
      const pattern = await app.call('detected_patterns.read', { pattern_id });
      expect(pattern).toMatchObject(listed);
      expect(pattern.agents.length).toBeGreaterThan(0);
      if (pattern.entity_path !== null) expect(pattern.entries[0]).toMatchObject({ entity_path: pattern.entity_path });
      expect(pattern.description).not.toMatch(/NaN|undefined/);
    }
    const ranks = patterns.map(({ severity }) => ['critical', 'warning', 'info'].indexOf(severity));
    expect(ranks).toEqual(ranks.toSorted());
    await scanned(app);
    expect(await patternsIn(app)).toEqual(patterns);
  });

  it('stay resolved until there is newer evidence', async () => {
    const app = await open();
    await contradict(app, 'net/gateway');
    await scanned(app);
    const [{ pattern_id } = { pattern_id: '' }] = await patternsIn(app);
    const resolved = await app.call('detected_patterns.resolve', { pattern_id, reason: 'both are right' });
    expect(resolved).toMatchObject({ status: 'resolved', reason: 'both are right', resolved_by: 'agent/test' });
    expect(await app.call('detected_patterns.resolve', { pattern_id })).toEqual(resolved);
    expect(await patternsIn(app, { resolved: true })).toEqual([resolved]);
    expect(await patternsIn(app, { resolved: false })).toEqual([]);
    await scanned(app);
    expect(await patternsIn(app)).toEqual([resolved]);
    app.clock.advance(DAY_MS);
    await app.call(
      'entries.write',
      { entity_path: 'net/gateway', key: 'timeoutMs', value: 'the gateway waits 90 seconds' },
      { agent_id: 'agent/b' },
    );
    expect(await scanned(app)).toMatchObject({ patterns_opened: 1 });
    expect(await patternsIn(app)).toMatchObject([
      { pattern_id, status: 'open', reopened: 1, resolved_at: null, reason: '' },
    ]);
    expect(await patternsIn(app, { resolved: true })).toEqual([]);
    expect(await patternsIn(app, { resolved: false })).toHaveLength(1);
  });

  it('are cleared when they are not found any more, and come back with the same id', async () => {
    const app = await open();
    await contradict(app, 'net/gateway');
    await scanned(app);
    const [{ pattern_id } = { pattern_id: '' }] = await patternsIn(app);
    const gone = { entity_path: 'net/gateway', key: 'timeoutMs' };
    await app.call('entries.write', { ...gone, value: '30 seconds' } as never, { agent_id: 'agent/c' });
    // What it was found in, and what is there now with its author.
    expect(
      (await app.call('detected_patterns.read', { pattern_id })).entries.find(({ key }) => key === gone.key),
    ).toMatchObject({
      ...{ version: 1, newest_version: 2, agent_id: 'agent/c' },
    });
    await app.call('entries.delete', gone as never, { agent_id: 'agent/b' });
    expect(await scanned(app)).toMatchObject({ patterns_cleared: 1, patterns_found: 0 });
    expect(await patternsIn(app, { status: 'open' })).toEqual([]);
    expect(await patternsIn(app)).toMatchObject([{ pattern_id, status: 'cleared' }]);
    await contradict(app, 'net/gateway');
    await scanned(app);
    expect(await patternsIn(app)).toMatchObject([{ pattern_id, status: 'open', reopened: 1 }]);
  });

  it('are looked for at some paths, or of one agent, and only these are cleared', async () => {
    const app = await open();
    await contradict(app, 'net/gateway');
    await contradict(app, 'shop/gateway');
    expect(await scanned(app, { entity_path: 'net/**' })).toMatchObject({ patterns_found: 1, scanned_entries: 2 });
    expect(await scanned(app, { entity_path: 'shop/**' })).toMatchObject({ patterns_found: 1, patterns_cleared: 0 });
    expect(await patternsIn(app, { status: 'open' })).toHaveLength(2);
    expect(await patternsIn(app, { entity_path: 'net/**' })).toMatchObject([{ entity_path: 'net/gateway' }]);
    expect(await scanned(app, { for_agent: 'agent/c' })).toMatchObject({ patterns_found: 0, patterns_cleared: 0 });
    expect(await scanned(app, { for_agent: 'agent/b' })).toMatchObject({ patterns_found: 2 });
    expect(await patternsIn(app, { agent_id: 'agent/b' })).toHaveLength(2);
    expect(await patternsIn(app, { agent_id: 'agent/c' })).toEqual([]);
  });

  it('are scanned for by the caller alone: a scan that names an agent otherwise is refused, and says how', async () => {
    const app = await open();
    const refused = await refusal(app.call('pattern_scans.create', { agent_id: 'agent/b' } as never));
    expect(refused).toMatchObject({
      code: 'invalid_input',
      errors: [{ path: 'agent_id', message: 'is not a known field. Did you mean for_agent?' }],
    });
    expect((await app.call('pattern_scans.list', {})).scans).toEqual([]);
    const scan = await app.call('pattern_scans.create', { for_agent: 'agent/b' }, { agent_id: 'agent/a' });
    expect(scan).toMatchObject({ for_agent: 'agent/b', agent_id: 'agent/a' });
  });

  it('name nothing that only another agent may see, and forget what became private', async () => {
    const app = await open();
    await contradict(app, 'secret/gateway', { shared: false });
    expect(await scanned(app)).toMatchObject({ patterns_found: 0, scanned_entries: 0 });
    await contradict(app, 'net/gateway');
    await scanned(app);
    const [{ pattern_id } = { pattern_id: '' }] = await patternsIn(app);
    for (const [agent_id, key] of [
      ['agent/a', 'timeout_ms'],
      ['agent/b', 'timeoutMs'],
    ] as const)
      await app.call(
        'entries.write',
        { entity_path: 'net/gateway', key, value: 'mine now', shared: false },
        { agent_id },
      );
    expect(await patternsIn(app)).toEqual([]);
    expect(await refusal(app.call('detected_patterns.read', { pattern_id }))).toMatchObject({ code: 'not_found' });
    expect(await refusal(app.call('detected_patterns.resolve', { pattern_id }))).toMatchObject({ code: 'not_found' });
    expect(await patternsIn(app, {}, { agent_id: 'agent/a' })).toMatchObject([{ entity_path: 'net/gateway' }]);
  });

  it('are looked for by one scan after the other, which can be cancelled and clears nothing then', async () => {
    const app = await open();
    await contradict(app, 'net/gateway');
    await scanned(app);
    const { scan_id } = await app.call('pattern_scans.create', {});
    for (let n = 1; n < 10; n++) await app.call('pattern_scans.create', { entity_path: 'nowhere' });
    expect(await refusal(app.call('pattern_scans.create', {}))).toMatchObject({ code: 'conflict' });
    const cancelled = await app.call('pattern_scans.cancel', { scan_id });
    expect(cancelled).toMatchObject({ status: 'cancelled' });
    expect(await app.call('pattern_scans.cancel', { scan_id })).toEqual(cancelled);
    await caughtUp(app);
    expect(await patternsIn(app, { status: 'open' })).toHaveLength(1);
    const { scans } = await app.call('pattern_scans.list', {});
    expect(scans.map(({ status }) => status)).toEqual([...Array(9).fill('done'), 'cancelled', 'done']);
  });

  it('are looked for from the last path that was done, after a crash', async () => {
    const app = await open();
    for (const path of ['a', 'b', 'c']) await contradict(app, path);
    const { scan_id } = await app.call('pattern_scans.create', {});
    await app.kernel.work(caller(), 'patterns.scan', async (work) => {
      const scan = await getScan(work.tx, work.account_id, scan_id);
      work.send(work.tx.insertMany(upsertScans, [{ ...scan, entity_path: 'a', scanned_entries: 2, all_entries: 6 }]));
      return unchanged({});
    });
    expect(await app.call('pattern_scans.read', { scan_id })).toMatchObject({ phase: 'entries', progress: 0.3 });
    await caughtUp(app);
    const done = await app.call('pattern_scans.read', { scan_id });
    expect(done).toMatchObject({ status: 'done', scanned_entries: 6, patterns_found: 2 });
    expect((await patternsIn(app)).map(({ entity_path }) => entity_path).sort()).toEqual(['b', 'c']);
  });

  it('among very many similar texts are looked for without holding up others', async () => {
    const app = await open();
    const named = (at: number) => at.toString(4).replace(/\d/g, (digit) => 'abcd'.charAt(Number(digit)));
    const words = Array.from({ length: 700 }, (_, at) => `w${named(at)}`);
    for (let from = 0; from < 400; from += 100) {
      const writes = Array.from({ length: 100 }, (_, i) => {
        const text = `${i % 2 ? 'we never use' : 'we use'} ${words.slice(i % 9, (i % 9) + 560).join(' ')}`;
        return { entity_path: 'near/alike', key: `k${named(from + i)}`, value: text };
      });
      await app.call('commits.create', { message: 'many', writes } as never, { agent_id: `agent/${from}` });
    }
    expect(await longestTurn(() => scanned(app))).toBeLessThan(80);
    expect((await patternsIn(app)).map(({ pattern_type }) => pattern_type)).toContain('knowledge_conflict');
  });

  it('go with the path or the agent that is erased', async () => {
    const app = await open();
    const [planter] = CASES.passive_consumer ?? [];
    const chances = { next: () => 0.5, below: () => 1, of: <T>(list: readonly T[]) => list[0] as T };
    if (planter) await playPatternWorld(app, planter('read', chances));
    await contradict(app, 'net/gateway');
    await scanned(app);
    expect((await patternsIn(app)).map(({ pattern_type }) => pattern_type)).toEqual([
      'knowledge_conflict',
      'passive_consumer',
    ]);
    await app.call('agents.erase', { agent_id: 'agent/read' });
    expect(await patternsIn(app)).toMatchObject([{ pattern_type: 'knowledge_conflict' }]);
    await app.call('entries.erase', { entity_path: 'net/gateway', key: 'timeout_ms' });
    expect(await patternsIn(app)).toEqual([]);
  });
});

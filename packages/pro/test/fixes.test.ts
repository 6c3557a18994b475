import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp } from '../../../tests/support/app.ts';
import { BAD, GOOD, LIMIT, layWrongLimit, OTHER, run } from './wrong-limit.ts';

describe.each(backends)('fixes on %s', (backend) => {
  const open = async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    return app;
  };

  it('bring back the last version before the one that is to blame, on a branch', async () => {
    const app = await open();
    const trace_id = await layWrongLimit(app);
    const fix = await app.call('fixes.propose', { trace_id, judge_id: 'succeeds' });
    expect(fix).toMatchObject({
      ...{ status: 'proposed', policy: 'review', branch: `repair/${fix.fix_id}`, entry_count: 1 },
      source: { kind: 'verdict', trace_id, judge_id: 'succeeds' },
      entries: [
        {
          ...{ ...LIMIT, blamed_version: 2, blamed_author: 'agent/hasty', action: 'restore', restored_version: 1 },
          runs: { with_it: { count: 8, of: 8 } },
          ledger: { failures: 8, successes: 0 },
        },
      ],
      timeline: [{ change: 'proposed' }],
    });
    expect(fix.entries[0]?.reason).toContain('Version 1 is the last one before it');
    expect(await app.call('entries.read', { ...LIMIT, branch: fix.branch })).toMatchObject({ value: 100 });
    expect(await app.call('entries.read', LIMIT)).toMatchObject({ value: 9 });
    expect(await app.call('fixes.propose', { trace_id, judge_id: 'succeeds' })).toEqual(fix);
    expect((await app.call('fixes.list', { status: 'proposed' })).fixes).toHaveLength(1);
    const { handover, ...whole } = fix;
    expect(await app.call('fixes.read', { fix_id: fix.fix_id })).toEqual(whole);
    expect((await app.call('fixes.read_handover', { fix_id: fix.fix_id })).markdown).toBe(handover);
  });

  it('correct what runs with a behavior read, and see whether others have it later', async () => {
    const app = await open();
    await app.call('behaviors.create', {
      behavior_id: 'fails',
      matcher: [{ check: 'outcome', in: ['failure'] }],
    });
    await layWrongLimit(app);
    const fix = await app.call('fixes.propose', { behavior_id: 'fails' });
    expect(fix).toMatchObject({
      source: { kind: 'behavior', behavior_id: 'fails', judge_id: null, trace_id: null, incident_id: null },
      summary: 'Behavior fails is found in 8 of 26 (30.8 %) of the newest runs.',
      entries: [{ ...LIMIT, blamed_version: 2, action: 'restore', restored_version: 1 }],
    });
    expect(fix.entries[0]?.reason).toContain('Of the runs that read it 8 of 8 (100 %) had it');
    expect(fix.handover).toContain('Behavior `fails`, version 1, is in the traces that match:');
    expect(fix.handover).toContain('pay it back');
    expect(await app.call('fixes.propose', { behavior_id: 'fails' })).toEqual(fix);
    const { fix_id } = fix;
    expect(fix.handover).toContain('waits on the branch');
    await app.call('fixes.approve', { fix_id });
    const { markdown } = await app.call('fixes.read_handover', { fix_id });
    expect(markdown).toContain('and approved: it is in `main`');
    expect(markdown).not.toContain('waits');
    for (let n = 0; n < 12; n++) await run(app, LIMIT, GOOD);
    for (let n = 0; n < 2; n++) await caughtUp(app);
    const { came_back, reason } = await app.call('fixes.read_prevention', { fix_id });
    expect(came_back).toBe(false);
    expect(reason).toContain('had it since it was approved');
    expect(await refusal(app.call('fixes.propose', { behavior_id: 'none' }))).toMatchObject({ code: 'not_found' });
    const both = { behavior_id: 'fails', judge_id: 'succeeds' };
    expect(await refusal(app.call('fixes.propose', both))).toMatchObject({ code: 'invalid_input' });
  });

  it('of private memory show others no more than the name of the branch', async () => {
    const app = await open();
    const [owner, other] = [{ agent_id: 'agent/owner' }, { agent_id: 'agent/other' }];
    const at = { entity_path: 'shop/veiled-path', key: 'veiled-key' };
    await app.call('entries.write', { ...at, value: 'veiled-old', shared: false }, owner);
    const entries = [{ ...at, value: 'veiled-new' }];
    const fix = await app.call('fixes.propose', { ...at, entries, description: 'veiled-words' }, owner);
    expect(fix.entries).toHaveLength(1);
    const { branch: name, fix_id } = fix;
    const seen = async () => [
      ...[await app.call('branches.list', {}, other), await app.call('branches.read', { name }, other)],
      ...[await app.call('branches.diff', { name }, other), await app.call('fixes.list', {}, other)],
      ...[await app.call('log.list', {}, other), await app.call('merges.list', {}, other)],
      await app.call('entries.list', { branch: name }, other),
    ];
    const proposed = JSON.stringify(await seen());
    await app.call('fixes.approve', { fix_id, reason: 'veiled-reason' }, owner);
    const merged = JSON.stringify(await seen());
    for (const shown of [proposed, merged]) {
      expect(shown).toContain(name);
      for (const word of ['veiled', fix.summary]) expect(shown).not.toContain(word);
    }
    expect(await refusal(app.call('fixes.read', { fix_id }, other))).toMatchObject({ code: 'not_found' });
    expect(await app.call('entries.read', at, owner)).toMatchObject({ value: 'veiled-new' });
  });

  it('have the policy of the account, or a stricter one', async () => {
    const app = await open();
    const unset = { policy: 'review', set_id: 'regression', agent_id: null, updated_at: null };
    expect(await app.call('fixes.read_policy', {})).toEqual(unset);
    expect(await app.call('fixes.set_policy', { policy: 'review' })).toEqual(unset);
    await app.call('entries.write', { ...LIMIT, value: 9 });
    const given = { ...LIMIT, entries: [{ ...LIMIT, value: 100 }] };
    const first = await app.call('fixes.propose', given);
    expect(first).toMatchObject({ policy: 'review', set_id: 'regression' });
    const set = await app.call('fixes.set_policy', { policy: 'after_replay', set_id: 'smoke', agent_id: 'anna' });
    expect(set).toMatchObject({ policy: 'after_replay', set_id: 'smoke', agent_id: 'anna' });
    expect(await app.call('fixes.read_policy', {})).toEqual(set);
    // It is reported to administrators.
    expect((await app.call('log.list', { types: ['fix_policy_set'] } as never)).events).toEqual([]);
    // What is open stays as it was.
    expect(await app.call('fixes.propose', given)).toEqual(first);
    await app.call('fixes.approve', { fix_id: first.fix_id });
    const next = { ...LIMIT, entries: [{ ...LIMIT, value: 200 }] };
    const less = app.call('fixes.propose', { ...next, policy: 'review' });
    expect(await refusal(less)).toMatchObject({ code: 'conflict', policy: 'after_replay' });
    const other = app.call('fixes.propose', { ...next, set_id: 'other' });
    expect(await refusal(other)).toMatchObject({ code: 'conflict', policy: 'after_replay', set_id: 'smoke' });
    const second = await app.call('fixes.propose', { ...next, set_id: 'smoke' });
    expect(second).toMatchObject({ policy: 'after_replay', set_id: 'smoke' });
    expect(await refusal(app.call('fixes.approve', { fix_id: second.fix_id }))).toMatchObject({
      code: 'replay_required',
    });
    expect(await app.call('fixes.set_policy', { policy: 'review' })).toMatchObject({ set_id: 'smoke' });
  });

  it('are merged into main when they are approved, and say later whether it came back', async () => {
    const app = await open();
    const trace_id = await layWrongLimit(app);
    const { fix_id, branch } = await app.call('fixes.propose', { trace_id, judge_id: 'succeeds' });
    expect(await app.call('fixes.read_prevention', { fix_id })).toMatchObject({ came_back: null, approved_at: null });
    const approved = await app.call('fixes.approve', { fix_id, reason: 'looks right' });
    expect(approved).toMatchObject({ status: 'approved', merge_id: expect.any(String), decision: 'looks right' });
    expect(approved.timeline.map(({ change }) => change)).toEqual(['approved', 'proposed']);
    expect(await app.call('entries.read', LIMIT)).toMatchObject({ value: 100, version: 3 });
    expect(await app.call('branches.read', { name: branch })).toMatchObject({ status: 'merged' });
    expect(await app.call('fixes.approve', { fix_id })).toEqual(approved);
    expect(await refusal(app.call('fixes.dismiss', { fix_id }))).toMatchObject({ code: 'conflict' });
    expect(await app.call('fixes.read_prevention', { fix_id })).toMatchObject({ came_back: null });
    for (let n = 0; n < 12; n++) await run(app, LIMIT, GOOD);
    for (let n = 0; n < 2; n++) await caughtUp(app);
    expect(await app.call('fixes.read_prevention', { fix_id })).toMatchObject({
      ...{ came_back: false, of: 'readers', before: { count: 8, of: 8 }, after: { count: 0, of: 12 } },
      usual: { count: 0, of: 18 },
    });
    for (let n = 0; n < 12; n++) await run(app, LIMIT, BAD);
    for (let n = 0; n < 2; n++) await caughtUp(app);
    const back = await app.call('fixes.read_prevention', { fix_id });
    expect(back).toMatchObject({ came_back: true, after: { count: 12, of: 24 } });
    expect(back.trace_ids).toHaveLength(5);
    expect((await app.call('log.list', { types: ['fix_approved'] } as never)).events).toHaveLength(1);
  });

  it('are told apart in the list by what they correct', async () => {
    const app = await open();
    const trace_id = await layWrongLimit(app);
    const entries = [
      { ...LIMIT, value: 100 },
      { ...OTHER, value: 'phone' },
    ];
    await app.call('fixes.propose', { trace_id, judge_id: 'succeeds', entries });
    await app.call('fixes.propose', { ...OTHER, entries: [{ ...OTHER, value: 'chat' }] });
    expect((await app.call('fixes.list', {})).fixes).toMatchObject([
      { first_entry: OTHER, entry_count: 1 },
      { first_entry: LIMIT, entry_count: 2 },
    ]);
    await app.call('agents.erase', { agent_id: 'agent/careful' } as never);
    for (const { first_entry, fix_id } of (await app.call('fixes.list', {})).fixes) {
      const [first] = (await app.call('fixes.read', { fix_id })).entries;
      expect(first_entry).toEqual(first && { entity_path: first.entity_path, key: first.key });
    }
  });

  it('say that an entry was rewritten since, and are not approved where they would change nothing', async () => {
    const app = await open();
    const trace_id = await layWrongLimit(app);
    const first = await app.call('fixes.propose', { trace_id, judge_id: 'succeeds' });
    const same = await app.call('fixes.propose', LIMIT);
    expect(same.entries[0]?.reason).not.toContain('Main has');
    await app.call('fixes.approve', { fix_id: first.fix_id });
    const { entries, status } = await app.call('fixes.read', { fix_id: same.fix_id });
    expect(status).toBe('proposed');
    expect(entries[0]?.reason).toMatch(/^Main has version 3 now\. By the ledger, /);
    const { markdown } = await app.call('fixes.read_handover', { fix_id: same.fix_id });
    expect(markdown).toContain('Main has version 3 now.');
    const refused = await refusal(app.call('fixes.approve', { fix_id: same.fix_id }));
    expect(refused).toMatchObject({ code: 'conflict', fix_id: same.fix_id });
    expect(refused.detail).toContain('would change nothing: main already has what it corrects');
    expect(await app.call('branches.read', { name: same.branch })).toMatchObject({ status: 'active' });
    expect((await app.call('merges.list', {})).merges).toHaveLength(1);
    expect(await app.call('fixes.dismiss', { fix_id: same.fix_id })).toMatchObject({ status: 'dismissed' });
    // An approved fix has a newer version of its own making.
    expect((await app.call('fixes.read', { fix_id: first.fix_id })).entries[0]?.reason).not.toContain('Main has');
  });

  it('wait for their regression cases where the policy says so', async () => {
    const app = await open();
    const trace_id = await layWrongLimit(app);
    const asked = { trace_id, judge_id: 'succeeds', policy: 'after_replay' as const };
    const { fix_id, branch } = await app.call('fixes.propose', asked);
    const refused = async () => (await refusal(app.call('fixes.approve', { fix_id }))).detail;
    expect(await refused()).toContain('has no cases');
    await app.call('cases.create', { case_id: 'pay-back', trace_id, judge_id: 'succeeds' });
    expect(await refused()).toContain('have not been run');
    const attributes = { case_id: 'pay-back' };
    await run(app, LIMIT, { ...BAD, branch, attributes });
    expect(await app.call('case_runs.create', { branch })).toMatchObject({ status: 'failed' });
    expect(await refused()).toContain('0 of 1 cases passed');
    await run(app, LIMIT, { ...GOOD, branch, attributes });
    expect(await app.call('case_runs.create', {})).toMatchObject({ branch: 'main', status: 'failed' });
    const { case_run_id } = await app.call('case_runs.create', { branch });
    await app.call('entries.write', { ...LIMIT, value: 101, branch });
    expect(await refused()).toContain('was changed after run');
    // The newest trace of the case is from before the change.
    expect(await app.call('case_runs.create', { branch })).toMatchObject({ status: 'passed' });
    expect(await refused()).toContain('was changed after case pay-back was tried');
    await run(app, LIMIT, { ...GOOD, branch, attributes });
    const again = await app.call('case_runs.create', { branch });
    expect(again.case_run_id).not.toBe(case_run_id);
    expect((await app.call('fixes.read', { fix_id })).replay).toMatchObject({ passed: true });
    const approved = await app.call('fixes.approve', { fix_id });
    expect(approved).toMatchObject({ status: 'approved', case_run_id: again.case_run_id });
    expect(approved.timeline.map(({ change }) => change)).toEqual([
      ...['approved', 'replayed', 'replayed', 'replayed', 'replayed', 'proposed'],
    ]);
    expect(await app.call('entries.read', LIMIT)).toMatchObject({ value: 101 });
  });

  it('are dismissed with their branch, and can be proposed again', async () => {
    const app = await open();
    const trace_id = await layWrongLimit(app);
    const asked = { trace_id, judge_id: 'succeeds' };
    const { fix_id, branch } = await app.call('fixes.propose', asked);
    expect(await app.call('fixes.dismiss', { fix_id, reason: 'it is right' })).toMatchObject({ status: 'dismissed' });
    expect(await app.call('branches.read', { name: branch })).toMatchObject({ status: 'closed' });
    expect(await refusal(app.call('fixes.approve', { fix_id }))).toMatchObject({ code: 'conflict' });
    const second = await app.call('fixes.propose', { ...asked, entries: [{ ...LIMIT, value: 50 }] });
    expect(second.fix_id).not.toBe(fix_id);
    expect(second.entries).toMatchObject([
      { ...LIMIT, action: 'replace', blamed_version: 2, runs: { with_it: { of: 8 } } },
    ]);
    expect(await app.call('entries.read', { ...LIMIT, branch: second.branch })).toMatchObject({ value: 50 });
    expect(await refusal(app.call('fixes.propose', asked))).toMatchObject({ code: 'conflict' });
  });

  it('follow branches that are merged or closed by hand', async () => {
    const app = await open();
    const trace_id = await layWrongLimit(app);
    const asked = { trace_id, judge_id: 'succeeds' };
    const first = await app.call('fixes.propose', asked);
    await app.call('branches.close', { name: first.branch });
    await caughtUp(app);
    expect(await app.call('fixes.read', { fix_id: first.fix_id })).toMatchObject({ status: 'dismissed' });
    const second = await app.call('fixes.propose', asked);
    await app.call('branches.merge', { name: second.branch, strategy: 'THREE_WAY' });
    await caughtUp(app);
    expect(await app.call('fixes.read', { fix_id: second.fix_id })).toMatchObject({
      ...{ status: 'approved', decision: 'its branch was merged', merge_id: expect.any(String) },
    });
  });

  it('of an entry delete it where no earlier version is good, and need bad outcomes or a value', async () => {
    const app = await open();
    await app.call('entries.write', { ...LIMIT, value: 9 });
    expect(await refusal(app.call('fixes.propose', LIMIT))).toMatchObject({ code: 'conflict' });
    for (let n = 0; n < 3; n++) await run(app, LIMIT, BAD);
    const fix = await app.call('fixes.propose', LIMIT);
    expect(fix).toMatchObject({
      ...{ source: { kind: 'entry', ...LIMIT, version: 1 }, entries: [{ action: 'delete', ledger: { failures: 3 } }] },
    });
    expect(await refusal(app.call('entries.read', { ...LIMIT, branch: fix.branch }))).toMatchObject({
      code: 'not_found',
    });
    await app.call('fixes.approve', { fix_id: fix.fix_id });
    expect(await refusal(app.call('entries.read', LIMIT))).toMatchObject({ code: 'not_found' });
    expect(await app.call('fixes.read', { fix_id: fix.fix_id })).toMatchObject({ entries: [{ ...LIMIT }] });
    await app.call('entries.write', { ...OTHER, value: 'desk' });
    const given = await app.call('fixes.propose', { ...OTHER, entries: [{ ...OTHER, value: 'phone' }] });
    expect(given.entries).toMatchObject([{ action: 'replace', ledger: { failures: 0 } }]);
  });

  it('count an attempt that failed as bad, also where its session succeeded', async () => {
    const app = await open();
    await app.call('entries.write', { ...LIMIT, value: 9 });
    for (const n of [1, 2])
      await app.call('outcomes.commit', {
        ...{ outcome_ref: `run-${n}`, outcome_type: 'success', causal_entry_keys: [] },
        attempts: [{ outcome_type: 'failure', causal_entry_keys: [LIMIT] }],
      });
    const { summary, entries } = await app.call('fixes.propose', LIMIT);
    expect(entries).toMatchObject([{ ledger: { successes: 0, failures: 2 } }]);
    expect(summary).toContain('0 good and 2 bad outcomes rested on it');
  });

  it('name one source, whole', async () => {
    const app = await open();
    const code = async (input: object) => (await refusal(app.call('fixes.propose', input as never))).code;
    expect(await code({})).toBe('invalid_input');
    expect(await code({ trace_id: 'x' })).toBe('invalid_input');
    expect(await code({ ...LIMIT, incident_id: 'x' })).toBe('invalid_input');
    expect(await code({ incident_id: 'x' })).toBe('not_found');
    expect(await code(LIMIT)).toBe('not_found');
    expect(await code({ trace_id: 'x', judge_id: 'succeeds' })).toBe('not_found');
    expect((await refusal(app.call('fixes.read', { fix_id: 'x' }))).code).toBe('not_found');
  });

  it('of private memory are for its author alone', async () => {
    const app = await open();
    const owner = { agent_id: 'agent/owner' };
    await app.call('entries.write', { ...LIMIT, value: 9, shared: false }, owner);
    const given = { ...LIMIT, entries: [{ ...LIMIT, value: 100 }] };
    expect(await refusal(app.call('fixes.propose', given))).toMatchObject({ code: 'not_found' });
    const { fix_id, branch } = await app.call('fixes.propose', given, owner);
    expect(await refusal(app.call('fixes.read', { fix_id }))).toMatchObject({ code: 'not_found' });
    expect((await app.call('fixes.list', {})).fixes).toEqual([]);
    expect(await refusal(app.call('entries.read', { ...LIMIT, branch }))).toMatchObject({ code: 'not_found' });
    await app.call('fixes.approve', { fix_id }, owner);
    expect(await app.call('entries.read', LIMIT, owner)).toMatchObject({ value: 100 });
    expect(await refusal(app.call('entries.read', LIMIT))).toMatchObject({ code: 'not_found' });
  });
});

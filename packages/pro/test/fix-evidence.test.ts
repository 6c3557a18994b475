import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { backends, openTestApp } from '../../../tests/support/app.ts';
import { BAD, LIMIT, layWrongLimit, OTHER, run } from './wrong-limit.ts';

describe.each(backends)('what fixes rest on, on %s', (backend) => {
  const open = async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    return app;
  };

  it('is failing runs that read what is to blame, not newer ones that fail for something else', async () => {
    const app = await open();
    await app.call('behaviors.create', { behavior_id: 'fails', matcher: [{ check: 'outcome', in: ['failure'] }] });
    const misled = await layWrongLimit(app);
    const others: string[] = [];
    for (let n = 0; n < 4; n++) others.push(await run(app, OTHER, BAD));
    for (let n = 0; n < 2; n++) await caughtUp(app);
    const [verdict, behavior] = [
      await app.call('fixes.propose', { trace_id: misled, judge_id: 'succeeds' }),
      await app.call('fixes.propose', { behavior_id: 'fails' }),
    ];
    for (const { entries, handover } of [verdict, behavior]) {
      expect(entries).toMatchObject([{ ...LIMIT, blamed_version: 2 }]);
      expect(handover).toContain('some of the newest that read the memory below');
      expect(handover.match(/^Trace `/gm)).toHaveLength(3);
      expect(handover).toContain(misled);
      for (const other of others) expect(handover).not.toContain(other);
    }
    expect(verdict.handover).toContain('Why it failed:');
  });

  it('becomes a case by the first command beside the replay, where there is none yet', async () => {
    const app = await open();
    await app.call('behaviors.create', { behavior_id: 'fails', matcher: [{ check: 'outcome', in: ['failure'] }] });
    const trace_id = await layWrongLimit(app);
    const fix = await app.call('fixes.propose', { trace_id, judge_id: 'succeeds' });
    const case_id = `fix-${fix.fix_id.toLowerCase()}`;
    const keep = `npx @mem-service/cli eval case ${case_id} ${trace_id} --judge-id succeeds --set-id regression`;
    expect(fix.handover).toContain(`as one.\n\n\`\`\`sh\n${keep}\nnpx @mem-service/cli cases `);
    const found = await app.call('fixes.propose', { behavior_id: 'fails' });
    expect(found.handover).toContain('as one, which expects a success.\n');
    expect(found.handover).toMatch(/^npx @mem-service\/cli eval case \S+ \w+ --set-id regression$/m);
    await app.call('cases.create', { case_id, trace_id, judge_id: 'succeeds', set_id: 'regression' });
    const { markdown } = await app.call('fixes.read_handover', { fix_id: fix.fix_id });
    expect(markdown).toContain(`Case \`${case_id}\``);
    expect(markdown).not.toContain('eval case');
    await app.call('cases.delete', { case_id });
    const given = { ...OTHER, entries: [{ ...OTHER, value: 'phone' }] };
    const { handover } = await app.call('fixes.propose', given);
    expect(handover).toContain(
      'keep the task that failed as one, with `mem eval case`.\n\n```sh\nnpx @mem-service/cli cases ',
    );
  });

  it('is kept as no case where not every agent may see it', async () => {
    const app = await open();
    await layWrongLimit(app);
    const owner = { agent_id: 'agent/owner', session_id: 'own' };
    const at = { entity_path: 'shop/own', key: 'limit' };
    await app.call('entries.write', { ...at, value: 1, shared: false }, owner);
    await app.call('entries.read', at, owner);
    const report = { outcome_ref: 'own', outcome_type: 'failure' as const };
    const trace_id = (await app.call('outcomes.commit', report, owner)).trace_id as string;
    await app.call('verdicts.judge', { trace_id, judge_id: 'succeeds' }, owner);
    const given = { trace_id, judge_id: 'succeeds', entries: [{ ...at, value: 2 }] };
    const { handover } = await app.call('fixes.propose', given, owner);
    expect(handover).toContain(`Trace \`${trace_id}\``);
    expect(handover).not.toContain(`${trace_id} --judge-id`);
  });

  it('is the newest failing runs where none read what is corrected, which it says', async () => {
    const app = await open();
    const trace_id = await layWrongLimit(app);
    const given = { trace_id, judge_id: 'succeeds', entries: [{ ...OTHER, value: 'phone' }] };
    const { handover } = await app.call('fixes.propose', given);
    expect(handover).toContain('None of them is known to have read the memory below');
    expect(handover.match(/^Trace `/gm)).toHaveLength(3);
  });

  it('is not known to have come back before a run has read the entry, whatever else fails', async () => {
    const app = await open();
    const trace_id = await layWrongLimit(app);
    const { fix_id } = await app.call('fixes.propose', { trace_id, judge_id: 'succeeds' });
    await app.call('fixes.approve', { fix_id });
    for (let n = 0; n < 12; n++) await run(app, OTHER, BAD);
    for (let n = 0; n < 2; n++) await caughtUp(app);
    expect(await app.call('fixes.read_prevention', { fix_id })).toMatchObject({
      ...{ came_back: null, of: 'readers', after: { count: 0, of: 0 }, trace_ids: [] },
      reason: 'No run has read the entries since it was approved.',
    });
  });

  it('is restored in the name of who proposed it, not of who wrote it once', async () => {
    const app = await open();
    const trace_id = await layWrongLimit(app);
    const by = { agent_id: 'agent/fixer', session_id: 'repairs' };
    const { branch, fix_id } = await app.call('fixes.propose', { trace_id, judge_id: 'succeeds' }, by);
    const written = { value: 100, provenance: by };
    expect(await app.call('entries.read', { ...LIMIT, branch })).toMatchObject(written);
    await app.call('fixes.approve', { fix_id });
    expect(await app.call('entries.read', LIMIT)).toMatchObject({ ...written, version: 3 });
    const { versions } = await app.call('entries.history', LIMIT);
    expect(versions.map(({ provenance }) => provenance.agent_id)).toEqual([
      'agent/fixer',
      'agent/hasty',
      'agent/careful',
    ]);
  });
});

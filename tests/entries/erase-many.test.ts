import { describe, expect, it, onTestFinished } from 'vitest';
import { backends, openTestApp } from '../support/app.ts';

it('erasing the entries of one large commit takes no longer than those of many small ones', async () => {
  const app = await openTestApp('sqlite');
  onTestFinished(() => app.close());
  const write = async (path: string, perCommit: number) => {
    for (let from = 0; from < 1000; from += perCommit) {
      const keys = Array.from({ length: perCommit }, (_, i) => `k${from + i}`);
      await app.call('commits.create', {
        message: 'm',
        writes: keys.map((key) => ({ entity_path: path, key, value: key })),
      });
    }
  };
  const erase = async (entity_path: string) => {
    const before = process.cpuUsage();
    const { erased } = await app.call('entries.erase', { entity_path });
    const { user, system } = process.cpuUsage(before);
    return { erased, cost: user + system };
  };
  await write('warm', 100);
  await write('large', 1000);
  await write('small', 25);
  await erase('warm');
  const small = await erase('small');
  const large = await erase('large');
  expect(small.erased).toMatchObject({ entries: 1000, versions: 1000, commits: 40 });
  expect(large.erased).toMatchObject({ entries: 1000, versions: 1000, commits: 1 });
  expect(large.cost).toBeLessThan(3 * small.cost);
});

describe.each(backends)('many entries are erased in parts on %s', (backend) => {
  /** Entries over the ends of parts: of two agents, in commits, with links, outcomes and stored answers. */
  async function filled(max_erased_at_once: number) {
    const app = await openTestApp(backend);
    app.kernel.services.limits.max_erased_at_once = max_erased_at_once;
    const other = { agent_id: 'agent/other' };
    for (const name of ['a', 'b', 'c'])
      await app.call(
        'commits.create',
        { writes: [1, 2, 3, 4].map((i) => ({ entity_path: `gone/${name}`, key: `k${i}`, value: `${name}${i}` })) },
        { idempotency_key: `commit ${name}` },
      );
    await app.call('entries.write', { entity_path: 'gone/b', key: 'hidden', value: 1, shared: false }, other);
    await app.call('entries.write', { entity_path: 'kept', key: 'k', value: 1 }, other);
    const link = { source: 'gone/a/k1', source_type: 'entry', relation: 'depends_on', target_type: 'entry' } as const;
    for (const target of ['gone/c/k4', 'gone/a/k2', 'kept/k']) await app.call('graph.link', { ...link, target });
    const causal_entry_keys = ['gone/a/k1', 'gone/b/k2', 'gone/c/k3', 'kept/k'];
    await app.call('outcomes.commit', { outcome_ref: 'run', outcome_type: 'success', causal_entry_keys });
    return app;
  }

  it('with the same receipt as at once, as the dry run said, and nothing of them stays', async () => {
    const receipts = [];
    for (const atOnce of [3, 100]) {
      const app = await filled(atOnce);
      const planned = await app.call('entries.erase', { entity_path: 'gone/**', dry_run: true });
      const { erased } = await app.call('entries.erase', { entity_path: 'gone/**' });
      expect(erased).toEqual(planned.erased);
      receipts.push(erased);
      const again = await app.call('entries.erase', { entity_path: 'gone/**', dry_run: true });
      expect(again.erased).toMatchObject({ entries: 0, log_events: 0, trace_parts: 0, evidence: 0, edges: 0 });
      const { entities } = await app.call('entities.list', {});
      expect(entities.map(({ entity_path }) => entity_path)).toEqual(['kept']);
      await app.close();
    }
    expect(receipts[0]).toEqual(receipts[1]);
    expect(receipts[0]).toMatchObject({ entries: 12, versions: 12, commits: 3, stored_answers: 3 });
  });

  it('those of an agent too', async () => {
    const receipts = [];
    for (const atOnce of [3, 100]) {
      const app = await filled(atOnce);
      const agent_id = 'agent/test';
      const planned = await app.call('agents.erase', { agent_id, dry_run: true });
      const { erased } = await app.call('agents.erase', { agent_id });
      expect(erased).toEqual(planned.erased);
      receipts.push(erased);
      await app.close();
    }
    expect(receipts[0]).toEqual(receipts[1]);
  });
});

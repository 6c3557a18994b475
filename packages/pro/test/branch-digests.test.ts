import { describe, expect, it, onTestFinished } from 'vitest';
import { briefsIn, compiled, openCompiling } from '../../../tests/cortex/compiled.ts';
import { backends } from '../../../tests/support/app.ts';

describe.each(backends)('digests on %s', (backend) => {
  it('are of main alone, and nothing is told of others', async () => {
    const app = await openCompiling(backend);
    onTestFinished(() => app.close());
    const write = (key: string, branch: string) =>
      app.call('entries.write', { entity_path: 'checkout', key, value: key, branch }, { agent_id: 'agent/a' });
    await write('a', 'main');
    await app.call('branches.create', { name: 'exp' });
    await write('b', 'exp');
    await compiled(app);
    const briefs = await briefsIn(app);
    expect(briefs.length).toBeGreaterThan(0);
    expect(briefs.filter(({ branch }) => branch !== 'main')).toEqual([]);
  });
});

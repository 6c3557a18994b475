import { expect, it, onTestFinished } from 'vitest';
import { openTestApp } from '../support/app.ts';

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

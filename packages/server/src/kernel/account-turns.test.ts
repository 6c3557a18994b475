import { expect, test } from 'vitest';
import { AccountTurns } from './account-turns.ts';

test('an account works on one thing at a time, and is refused when too much waits', async () => {
  const turns = new AccountTurns(1, 'things');
  const log: string[] = [];
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const work = (name: string, wait?: Promise<void>) => async () => {
    log.push(`${name} begins`);
    await wait;
    log.push(`${name} ends`);
  };
  const failing = turns.run('a', async () => {
    await work('one', finished)();
    throw new Error('failed');
  });
  const second = turns.run('a', work('two'));
  await expect(turns.run('a', work('three'))).rejects.toMatchObject({ code: 'unavailable' });
  await turns.run('b', work('other'));
  expect(log).toEqual(['one begins', 'other begins', 'other ends']);
  finish();
  await expect(failing).rejects.toThrow('failed');
  await second;
  expect(log.slice(3)).toEqual(['one ends', 'two begins', 'two ends']);
  await turns.run('a', work('four'));
});

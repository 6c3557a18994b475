import { expect, it } from 'vitest';
import { ReaderBusy, ReadingTurns } from '../../packages/server/src/file-text/reading-turns.ts';

/** Asks for a turn for each account, in this order, and returns the order in which files were read. */
async function readingOrder(accounts: readonly string[]): Promise<string[]> {
  const turns = new ReadingTurns();
  const read: string[] = [];
  const one = async (account: string) => {
    read.push(account);
    await new Promise(setImmediate);
  };
  await Promise.all(accounts.map((account) => turns.run(account, () => one(account))));
  return read;
}

it('files of one account do not hold up those of others', async () => {
  expect(await readingOrder(['a', 'a', 'a', 'a', 'b', 'c', 'b'])).toEqual(['a', 'b', 'a', 'c', 'a', 'b', 'a']);
});

it('an account has few files that wait, and others still have room', async () => {
  const turns = new ReadingTurns();
  let end = () => {};
  const first = turns.run('a', () => new Promise<void>((resolve) => (end = resolve)));
  const waiting = [1, 2, 3, 4].map(() => turns.run('a', async () => {}));
  await expect(turns.run('a', async () => {})).rejects.toBeInstanceOf(ReaderBusy);
  waiting.push(turns.run('b', async () => {}));
  end();
  await Promise.all([first, ...waiting]);
});

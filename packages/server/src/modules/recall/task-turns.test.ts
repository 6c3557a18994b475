import { describe, expect, it } from 'vitest';
import { slicesOf } from './slices.ts';
import { OutOfTime, type TaskTurn, TaskTurns } from './task-turns.ts';

/** Tasks end with `endAll`, in the order in which they began. */
function openTurns() {
  const turns = new TaskTurns();
  const began: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (name: string, turn: Partial<TaskTurn> = {}) =>
    turns.run({ account_id: name[0] as string, isQuestion: true, ...turn }, () => {
      began.push(name);
      return new Promise<string>((resolve) => ends.push(() => resolve(name)));
    });
  const endAll = async () => {
    for (let end = ends.shift(); end; end = ends.shift()) {
      end();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { turns, began, ask, endAll };
}

describe('the turns of a thread', () => {
  it('go round the accounts, whatever one of them asks for', async () => {
    const { began, ask, endAll } = openTurns();
    const asked = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1'].map((name) => ask(name));
    await endAll();
    expect(began).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']);
    expect(await Promise.all(asked)).toHaveLength(8);
  });

  it('come to questions first, and to other work one at a time', async () => {
    const { began, ask, endAll } = openTurns();
    const work = ['a1', 'a2', 'b1'].map((name) => ask(name, { isQuestion: false }));
    const asked = ['c1', 'c2'].map((name) => ask(name));
    expect(began).toEqual(['a1', 'c1']);
    await endAll();
    expect(began).toEqual(['a1', 'c1', 'c2', 'a2', 'b1']);
    await Promise.all([...work, ...asked]);
  });

  it('come to other work after some questions, however many wait', async () => {
    const { began, ask, endAll } = openTurns();
    const asked = Array.from({ length: 20 }, (_, n) => ask(`q${n}`));
    const work = ask('w', { isQuestion: false });
    await endAll();
    expect(began.indexOf('w')).toBe(8);
    await Promise.all([...asked, work]);
  });

  it('are not waited for beyond the time that is left, nor taken by those who gave up', async () => {
    const { turns, began, ask, endAll } = openTurns();
    const first = [ask('a1'), ask('a2')];
    await expect(ask('b1', { timeLeft: () => 5 })).rejects.toBeInstanceOf(OutOfTime);
    const dropped = ask('c1');
    turns.drop(new Error('closed'));
    await expect(dropped).rejects.toThrow('closed');
    await endAll();
    expect([began, await Promise.all(first)]).toEqual([
      ['a1', 'a2'],
      ['a1', 'a2'],
    ]);
  });

  it('are short: many texts, or long ones, take several', () => {
    const sizes = (chars: number[]) =>
      [...slicesOf(chars, (n) => n, { texts: 50, chars: 50_000 })].map(({ length }) => length);
    expect(sizes(Array.from({ length: 120 }, () => 10))).toEqual([50, 50, 20]);
    expect(sizes([200_000, 10, 49_000, 2_000])).toEqual([1, 2, 1]);
    expect(sizes([])).toEqual([]);
  });
});

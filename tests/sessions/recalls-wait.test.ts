import { describe, expect, it } from 'vitest';
import { type AccountNotes, NoteBuffer, type ReadNote } from '../../packages/server/src/kernel/index.ts';
import { Recalls } from '../../packages/server/src/kernel/recalls.ts';

const timesOf = (recalls: readonly { times: number }[]) => recalls.reduce((sum, { times }) => sum + times, 0);

describe('recalls that wait to be written', () => {
  it('an entry waits once, however often it is recalled, and none is lost', () => {
    const recalls = new Recalls();
    for (let i = 0; i < 10_000; i++) recalls.add('account', i % 1000);
    let written = 0;
    for (let round = 0; !recalls.isEmpty; round++) {
      const due = recalls.take('account', 'beside notes');
      expect(due.length).toBeLessThan(100);
      expect(due.every(({ times }) => times === 10)).toBe(true);
      // A store that fails gives them back.
      if (round % 2) recalls.takeBack('account', due);
      else written += timesOf(due);
    }
    expect(written).toBe(10_000);
    expect([...recalls.accounts()]).toEqual([]);
  });

  it('those of another account stay where they are', () => {
    const recalls = new Recalls();
    recalls.add('one', 1);
    recalls.add('other', 1, 3);
    expect(recalls.take('one', 'last')).toEqual([{ entry_id: 1, times: 1 }]);
    expect(recalls.take('one', 'last')).toEqual([]);
    expect(recalls.take('other', 'nothing else')).toEqual([{ entry_id: 1, times: 3 }]);
  });

  it('more are written at a time when many wait, and a store that takes nothing does not fill the memory', () => {
    const recalls = new Recalls();
    for (let i = 0; i < 300_000; i++) recalls.add('account', i);
    // What waits already still counts.
    recalls.add('account', 0);
    expect(recalls.take('account', 'beside notes')[0]).toEqual({ entry_id: 0, times: 2 });
    const sizes: number[] = [];
    while (!recalls.isEmpty) sizes.push(recalls.take('account', 'beside notes').length);
    const written = sizes.reduce((sum, size) => sum + size, 0);
    expect(written).toBeGreaterThan(190_000);
    expect(written).toBeLessThan(200_000);
    // The half that is too much at once, the rest as ever.
    expect(sizes.filter((size) => size > 1000).length).toBeLessThan(100);
    expect(sizes.filter((size) => size < 100).length).toBeGreaterThan(1000);
  });

  it('take no room from reads: those are handed over at the next flush, whatever else waits', async () => {
    const observations = new NoteBuffer();
    const flushed: AccountNotes[] = [];
    observations.start(
      async (_, notes) => void flushed.push(notes),
      () => {},
    );
    const by = { agent_id: 'agent/doer', session: 'task' };
    for (let i = 0; i < 50_000; i++) observations.note('account', by, { kind: 'recall', entry_id: i });
    const read = { kind: 'read', is_current: true, version: 1 } as ReadNote;
    for (let i = 0; i < 15_000; i++) observations.note('account', by, { ...read, entry_id: i });
    await observations.flushAll();
    expect(flushed).toHaveLength(1);
    expect(flushed[0]?.sessions).toMatchObject([by]);
    expect(flushed[0]?.sessions[0]?.notes).toHaveLength(15_000);
    expect(flushed[0]?.recalls.length).toBeLessThan(100);
    await observations.close();
    expect(flushed.reduce((sum, { recalls }) => sum + timesOf(recalls), 0)).toBe(65_000);
  });

  it('are tried once more at the end, and then the service stops whether or not the store took them', async () => {
    const observations = new NoteBuffer();
    let tries = 0;
    const flush = async () => {
      tries++;
      throw new Error('the store is away');
    };
    observations.start(flush, () => {});
    const by = { agent_id: 'agent/doer', session: 'task' };
    for (let i = 0; i < 5000; i++) observations.note('account', by, { kind: 'recall', entry_id: i });
    await observations.close();
    expect(tries).toBe(1);
  });

  it('what could not be written comes again, in its order and once', async () => {
    const observations = new NoteBuffer();
    const flushed: AccountNotes[] = [];
    let isFailing = true;
    const flush = async (_: string, notes: AccountNotes) => {
      if (isFailing) throw new Error('the store failed');
      flushed.push(notes);
    };
    observations.start(flush, () => {});
    const by = { agent_id: 'agent/doer', session: 'task' };
    const note = (entry_id: number) =>
      observations.note('account', by, { kind: 'read', is_current: true, entry_id } as ReadNote);
    note(1);
    note(2);
    const failed = observations.flushAll();
    note(3);
    await failed;
    isFailing = false;
    await observations.close();
    expect(flushed.flatMap(({ sessions }) => sessions.flatMap(({ notes }) => notes))).toMatchObject([
      { entry_id: 1 },
      { entry_id: 2 },
      { entry_id: 3 },
    ]);
    expect(flushed.flatMap(({ recalls }) => recalls)).toHaveLength(3);
    expect(timesOf(flushed.flatMap(({ recalls }) => recalls))).toBe(3);
  });
});

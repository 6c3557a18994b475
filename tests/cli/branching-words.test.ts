import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Desk, openDesk, type Run, runInProcess } from './support.ts';

describe('the words about branches', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = await openDesk();
  });
  afterEach(() => desk.remove());

  const mem = (...args: string[]): Promise<Run> => desk.inProcess(args);
  const onTerminal = (...args: string[]): Promise<Run> =>
    runInProcess(args, { env: desk.env, folder: desk.folder, screen: { width: 80, colour: false } });
  const done = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await mem(...args);
    expect({ args, code, err }).toEqual({ args, code: 0, err });
    return out;
  };
  const write = (value: unknown, ...more: string[]) => done('write', 'a/b', 'k', JSON.stringify(value), ...more);

  it('show ids and names whole on a narrow terminal', async () => {
    await write({ n: 1 });
    const tag = 'before-the-import-of-what-the-other-team-has-written-since-the-beginning';
    await done('tag', tag);
    await done('branch', 'experiment/with-a-name-that-is-long');
    await write({ n: 2 }, '--branch', 'experiment/with-a-name-that-is-long');
    await done('merge', 'experiment/with-a-name-that-is-long');
    await done('quarantine', 'a/b', 'k', '--reason', 'it came from a page that nobody has checked, as it seems');
    const [[merge], [quarantine]] = await Promise.all(
      (['merges', 'quarantines'] as const).map(async (word) => JSON.parse(await done(word, '--json'))[word]),
    );
    const merges = (await onTerminal('merges')).out;
    expect(merges).toContain(merge.merge_id);
    expect(merges).toContain('experiment/with-a-name-that-is-long');
    expect(merges).not.toContain('{');
    expect((await onTerminal('quarantines')).out).toContain(quarantine.quarantine_id);
    expect((await onTerminal('tag')).out).toContain(`${tag}  main@1`);
    expect((await mem('merges')).out).toContain('main@2');
  });

  it('mark what is under quarantine', async () => {
    await write({ n: 1 });
    await write({ n: 2 });
    expect(await done('quarantine', 'a/b/k')).toMatch(
      /^1 entry under quarantine (\S+); mem release \1 brings them back$/m,
    );
    expect(await done('history', 'a/b', 'k')).toMatch(/quarantined/);
    expect(await done('list', '--include-quarantined')).toMatch(/quarantined/);
    expect(await done('read', 'a/b', 'k', '--include-quarantined')).toMatch(/^state +under quarantine/m);
    expect((await onTerminal('history', 'a/b', 'k')).out).toContain('quarantined');
    expect(await mem('write', 'a/b', 'k', '3')).toMatchObject({
      code: 5,
      err: expect.stringContaining('mem release <quarantine_id>'),
    });
    expect(await done('influence', 'a/b/k')).toContain('1 entry, 0 decisions');
  });

  it('take nothing found for a typing error', async () => {
    await write({ n: 1 });
    for (const words of [
      ['influence', 'a/b', 'none'],
      ['influence', '--written-by', 'nobody'],
      ['quarantine', '--written-by', 'nobody'],
    ])
      expect(await mem(...words)).toMatchObject({ code: 3, out: '', err: expect.stringContaining('mem agents') });
    expect(JSON.parse(await done('quarantines', '--json')).quarantines).toEqual([]);
  });

  it('compare tags by their names, and on a tag with its branch as it is now', async () => {
    await write({ n: 1 });
    await done('tag', 'v1');
    await write({ n: 2 });
    await done('tag', 'v2');
    for (const words of [['v1', 'main'], ['v1..main'], ['v1'], ['v1', 'v2'], ['v1..v2'], ['tags/v1', 'v2']])
      expect(await done('diff', ...words)).toContain('    - n: 1\n    + n: 2\n');
    expect(await mem('diff', 'v1', 'v3')).toMatchObject({
      code: 3,
      err: expect.stringContaining('there is no branch or tag "v3": mem branch and mem tag list them'),
    });
    for (const state of ['tags/v1', 'main@1']) {
      await done('switch', state);
      expect(await done('diff')).toContain('    - n: 1\n    + n: 2\n');
      expect(await done('diff', 'main')).toContain('    - n: 1\n    + n: 2\n');
      expect(await done('branch')).toMatch(new RegExp(`^\\* ${state}`, 'm'));
    }
    expect((await mem('switch', 'v1')).err).toContain('mem switch tags/v1');
    expect((await mem('switch', 'tags/none')).err).toBe('mem: there is no tag "none": mem tag lists them\n');
    expect((await mem('switch', 'main@yesterday')).err).toContain('as in main@1200');
  });

  it('show a change of a text line by line, and of what is unchanged only a part on a terminal', async () => {
    const lines = Array.from({ length: 30 }, (_, i) => `line ${i}`);
    const long = 'x'.repeat(300);
    await write({ text: lines.join('\n'), long: `${long}a${long}` });
    await done('switch', '-c', 'mine');
    await write({ text: lines.with(15, 'another').join('\n'), long: `${long}b${long}` });
    const piped = await done('diff');
    expect(piped).toContain('      line 14\n    - line 15\n    + another\n      line 16\n');
    expect(piped).toContain('      line 0\n');
    expect(piped).toContain(`    - long: "${long}a${long}"\n`);
    const shown = (await onTerminal('diff')).out;
    expect(shown).toContain(
      '      … 13 lines as before\n      line 13\n      line 14\n    - line 15\n    + another\n      line 16\n',
    );
    expect(shown).toContain(`    - long: …${'x'.repeat(40)}a${'x'.repeat(40)}…\n`);
    await done('write', 'a/b', 'new', JSON.stringify('one\ntwo'));
    expect(await done('diff')).toContain('    + one\n    + two\n');
  });

  it('say what to do instead', async () => {
    await write({ n: 1 });
    await done('switch', 'main');
    await done('protect-branch', 'main');
    const { code, err } = await mem('write', 'a/b', 'k', '2');
    expect(code).toBe(5);
    expect(err).toContain('mem switch -c <branch>');
    expect(err).not.toContain('mem switch main');
    expect((await mem('merge', 'main')).err).toContain('name the branch that is to be merged into main');
    expect(await mem('branch', '-d', 'main')).toMatchObject({ code: 2, err: expect.stringContaining('always exists') });
    for (const [word, ours] of [
      ['checkout', 'mem switch'],
      ['rebase', 'mem refresh'],
      ['revert', 'mem rollback'],
      ['reset', 'mem rollback'],
      ['show', 'mem show-branch'],
      ['stash', 'mem switch -c'],
    ] as const) {
      const refused = await mem(word, 'x');
      expect(refused).toMatchObject({ code: 2, err: expect.stringContaining(ours) });
      expect(refused.err).not.toContain('erase');
    }
    expect(await done('log', '--oneline')).toContain('write');
  });

  it('show the events of a branch', async () => {
    await write({ n: 1 });
    await done('branch', 'mine');
    await write({ n: 2 }, '--branch', 'mine');
    await done('branch', 'other');
    await write({ n: 3 }, '--branch', 'other');
    expect(await done('log', '--branch', 'mine', '--types', 'write')).toMatch(/^\d+ .*on mine.*\n\d+ .*\n$/);
  });

  it('say of a trial with conflicts that nothing would be merged', async () => {
    await write({ n: 1 });
    await done('branch', 'mine');
    await write({ n: 2 }, '--branch', 'mine');
    await write({ n: 3 });
    expect(await mem('merge', 'mine', '--strategy', 'THREE_WAY', '-m', 'two', '--dry-run')).toMatchObject({
      code: 1,
      out: 'would not merge mine into main\n1 conflict\n! a/b k: both sides changed it\n',
    });
  });

  it('create no store for a trial', async () => {
    expect(await mem('rollback', '0', '--dry-run')).toMatchObject({ code: 3 });
    expect(existsSync(join(desk.folder, 'store'))).toBe(false);
  });

  it('roll back on behalf of an agent what another wrote', async () => {
    await write({ n: 1 });
    await write({ n: 2 }, '--agent', 'importer');
    await done('rollback', '1', '--written-by', 'importer', '--agent', 'ada');
    const { versions } = JSON.parse(await done('history', 'a/b', 'k', '--json'));
    expect(versions[0].value).toEqual({ n: 1 });
    expect(await done('log', '--agent-id', 'ada')).not.toBe('');
  });
});

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Desk, openDesk, type Run, runInProcess, type ServingProcess, serve } from './support.ts';

const KEY = 'a-key-for-the-tests';
const ENTRY = ['checkout/payments', 'retry'] as const;
const COLOURED = { width: 100, colour: true };

describe.each(['a local store', 'a server'])('the command line on %s', (where) => {
  let local: Desk;
  let desk: Desk;
  let server: ServingProcess | undefined;
  beforeEach(async () => {
    local = await openDesk();
    server = where === 'a server' ? await serve({ ...local.env, MEM_API_KEYS: KEY }) : undefined;
    desk = server ? await openDesk({ MEM_HTTP_URL: server.url, MEM_API_KEY: KEY }) : local;
  });
  afterEach(async () => {
    await server?.stop();
    desk.remove();
    local.remove();
  });

  const mem = (...args: string[]): Promise<Run> => desk.inProcess(args);
  /** What is printed by a command that must not fail. */
  const done = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await mem(...args);
    expect({ args, code, err }).toEqual({ args, code: 0, err });
    return out;
  };
  const write = (value: unknown, ...more: string[]) => done('write', ...ENTRY, JSON.stringify(value), ...more);
  const valueHere = async (...more: string[]) => JSON.parse(await done('read', ...ENTRY, '--json', ...more)).value;

  it('switches a folder and all below it to a branch, and back', async () => {
    await write({ max: 5 });
    expect(await done('switch', '-c', 'experiment/retries')).toBe(
      `created and switched to experiment/retries in ${desk.folder} and below\n`,
    );
    expect(await write({ max: 3 })).toContain('version 2 on experiment/retries');
    expect(await valueHere()).toEqual({ max: 3 });
    expect(await valueHere('--branch', 'main')).toEqual({ max: 5 });
    const below = join(desk.folder, 'a', 'b');
    mkdirSync(below, { recursive: true });
    const there = await runInProcess(['read', ...ENTRY, '--json'], { env: desk.env, folder: below });
    expect(JSON.parse(there.out).value).toEqual({ max: 3 });
    const outside = await openDesk({ ...desk.env });
    expect(JSON.parse((await outside.inProcess(['read', ...ENTRY, '--json'])).out).value).toEqual({ max: 5 });
    outside.remove();
    const byVariable = await desk.inProcess(['read', ...ENTRY, '--json'], { env: { MEM_BRANCH: 'main' } });
    expect(JSON.parse(byVariable.out).value).toEqual({ max: 5 });
    expect(await done('status')).toMatch(/^branch {3}experiment\/retries, to which \S+ was switched$/m);
    await done('switch', 'main');
    expect(await valueHere()).toEqual({ max: 5 });
    await done('switch', '-');
    expect(await valueHere()).toEqual({ max: 3 });
    await done('switch', '--off');
    expect(await valueHere()).toEqual({ max: 5 });
    expect(await mem('switch', '-')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no branch to go back to'),
    });
  });

  it('refuses to switch to what does not exist, and says what to do where a branch is gone', async () => {
    await write({ max: 5 });
    const missing = await mem('switch', 'nowhere');
    expect(missing).toMatchObject({ code: 3, out: '' });
    expect(missing.err).toBe(
      'mem: there is no branch "nowhere": mem branch lists them, mem switch -c nowhere creates it\n',
    );
    expect(await valueHere()).toEqual({ max: 5 });
    expect(await mem('switch')).toMatchObject({ code: 2, err: expect.stringContaining('name a branch') });
    expect(await mem('switch', 'a', '--from', 'main')).toMatchObject({ code: 2 });
    expect(await mem('switch', '-c', 'a b')).toMatchObject({ code: 2 });
    await done('switch', '-c', 'gone');
    const file = join(desk.folder, '.mem', 'branches.json');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"gone"', '"erased"'));
    const failed = await mem('list');
    expect(failed.code).toBe(3);
    expect(failed.err).toMatch(/there is no branch "erased"\nmem: \S+ was switched to this branch: mem switch main/);
    expect(await done('status')).toMatch(/^branch {3}erased, .*there is no such branch/m);
    expect((await desk.inProcess(['list'], { env: { MEM_BRANCH: 'no/such' } })).err).toContain('MEM_BRANCH names this');
    await done('switch', 'main');
    writeFileSync(file, 'not JSON');
    expect(await valueHere()).toEqual({ max: 5 });
  });

  it('lists branches with * at the current one, creates and closes them', async () => {
    await write({ max: 5 });
    expect(await done('branch', 'one', '--description', 'the first')).toContain('created one from main@1');
    await done('branch', 'two', '--from', 'one');
    await done('switch', 'one');
    await write({ max: 3 });
    await done('branch', 'three');
    const lines = (await done('branch')).split('\n').map((line) => line.split(/ {2,}/));
    expect(lines[0]?.slice(0, 4)).toEqual(['', 'BRANCH', 'AHEAD', 'BEHIND']);
    const named = (name: string) => lines.find((line) => line.includes(name));
    expect(named('* one')?.slice(0, 4)).toEqual(['* one', '1', '0', 'main']);
    expect(named('three')?.slice(1, 5)).toEqual(['three', '0', '0', 'one']);
    expect(named('main')).toEqual(['', 'main']);
    const { current, branches } = JSON.parse(await done('branch', '--json'));
    expect([current, branches.map(({ name }: { name: string }) => name)]).toEqual([
      'one',
      ['main', 'three', 'two', 'one'],
    ]);
    await done('protect-branch', 'two');
    expect(await done('branch')).toMatch(/^ {2}two .*protected/m);
    await done('branch', '-d', 'three');
    expect(await done('branch')).not.toContain('three');
    expect(await done('branch', '--all')).toMatch(/^ {2}three .*closed/m);
    expect(await done('reopen-branch', 'three')).toBe('three is open again\n');
    for (const wrong of [['-d'], ['--from', 'one'], ['three', '--limit', '1'], ['three', '-d', '--from', 'one']])
      expect(await mem('branch', ...wrong)).toMatchObject({ code: 2, out: '' });
    expect(await mem('branch', 'three')).toMatchObject({ code: 5 });
  });

  it('shows what differs, in colours on a terminal', async () => {
    await write({ max: 5, backoff: 'linear' });
    await done('write', 'checkout/payments', 'old', '"gone soon"');
    await done('tag', 'v1');
    await done('switch', '-c', 'experiment/retries');
    await write({ max: 3, backoff: 'linear' });
    await done('write', 'checkout/cart', 'owner', 'team-basket');
    await done('delete', 'checkout/payments', 'old');
    const changes = [
      '~ checkout/payments retry (v1 → v2, by cli)',
      '    - max: 5',
      '    + max: 3',
      '+ checkout/cart owner (v1, by cli)',
      '    + "team-basket"',
      '- checkout/payments old (v1 → v2, deleted by cli)',
      '    - "gone soon"',
      '3 entries: 1 added, 1 modified, 1 deleted',
    ];
    for (const words of [
      [],
      ['experiment/retries'],
      ['tags/v1'],
      ['main..'],
      ['main...'],
      ['main', 'experiment/retries'],
    ])
      expect((await done('diff', ...words)).trimEnd().split('\n').slice(1)).toEqual(changes);
    expect(await done('diff', '--path', 'checkout/cart')).toContain('1 entry: 1 added');
    expect(await mem('diff', 'main')).toMatchObject({ code: 0, out: '', err: 'no differences\n' });
    expect(JSON.parse(await done('diff', '--json')).entries).toHaveLength(3);
    const screen = await runInProcess(['diff'], { env: desk.env, folder: desk.folder, screen: COLOURED });
    expect(screen.out).toContain('\u001b[31m- max: 5\u001b[0m');
    expect(screen.out).toContain('\u001b[32m+ max: 3\u001b[0m');
    expect(await mem('diff', ...ENTRY)).toMatchObject({
      code: 3,
      err: expect.stringContaining('mem diff-versions checkout/payments retry'),
    });
    for (const wrong of [['..main'], ['a..b', 'c'], ['main...tags/v1']])
      expect(await mem('diff', ...wrong)).toMatchObject({ code: 2, out: '' });
    await done('switch', 'main');
    expect(await mem('diff')).toMatchObject({
      code: 2,
      err: expect.stringContaining('name what to compare main with'),
    });
  });

  it('merges with what it shows, and says how to resolve conflicts', async () => {
    await write({ max: 5 });
    await done('switch', '-c', 'experiment/retries');
    await write({ max: 3 });
    expect(await mem('merge', 'experiment/retries')).toMatchObject({
      code: 5,
      err: expect.stringContaining('--into main'),
    });
    const trial = await done('merge', 'experiment/retries', '--into', 'main', '--dry-run');
    expect(trial).toMatch(
      /^would merge experiment\/retries into main: 1 modified\n[\s\S]* {4}- max: 5\n {4}\+ max: 3\n$/,
    );
    await write({ max: 4 }, '--branch', 'main');
    await done('switch', 'main');
    expect((await mem('merge', 'experiment/retries')).err).toContain('add --strategy THREE_WAY');
    const three = ['merge', 'experiment/retries', '--strategy', 'THREE_WAY', '--merge-id', 'm1'];
    const refused = await mem(...three);
    expect(refused.code).toBe(5);
    expect(refused.err.split('\n')).toEqual([
      'mem: nothing was merged: there is 1 conflict',
      'mem:   checkout/payments retry: both sides changed it',
      'mem: look at them:  mem conflicts m1',
      "mem: decide:        mem resolve m1 source|target|base --path '**', or one with --no 0",
      'mem: then go on:    the same command again, a merge or refresh with --merge-id m1',
      'mem: or give it up: mem merge --abort m1',
      '',
    ]);
    expect(await done('merge', '--abort')).toBe(
      'gave up m1, a merge of experiment/retries into main with 1 conflict\n',
    );
    expect(await mem('merge', '--abort')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no merge into main waits'),
    });
    expect(await mem('merge', '--abort', 'm1')).toMatchObject({ code: 3 });
    expect((await mem(...three)).code).toBe(5);
    expect(await done('conflicts', 'm1')).toMatch(
      /^0 {2}checkout\/payments retry {2}open {2}both sides changed it \(max\)$/m,
    );
    expect(await done('show-conflict', 'm1', '0')).toMatch(/base[\s\S]*5[\s\S]*target[\s\S]*4[\s\S]*source[\s\S]*3/);
    expect(await done('resolve', 'm1', 'source', '--path', '**')).toContain(
      'none is open: merge again with --merge-id m1',
    );
    await done('switch', 'experiment/retries');
    const merged = await mem(...three, '--into', 'main');
    expect(merged).toMatchObject({ code: 0, err: expect.stringContaining('mem switch main goes on there') });
    expect(merged.out).toMatch(
      /^merged experiment\/retries into main: 1 modified\n[\s\S]* {4}- max: 4\n {4}\+ max: 3\n$/,
    );
    expect(await mem('write', ...ENTRY, '1')).toMatchObject({
      code: 5,
      err: expect.stringContaining('mem switch main'),
    });
    expect(await valueHere('--branch', 'main')).toEqual({ max: 3 });
  });

  it('refreshes the current branch, and takes single entries', async () => {
    await write({ max: 5 });
    await done('switch', '-c', 'mine');
    await done('write', 'checkout/payments', 'gateway', '{"timeout": 1500}');
    await done('write', 'checkout/payments', 'more', '{"timeout": 1}');
    await write({ max: 6 }, '--branch', 'main');
    expect(await done('refresh')).toBe('brought main into mine, which shows it as it is now\n');
    expect(await valueHere()).toEqual({ max: 6 });
    await done('switch', 'main');
    expect(await done('cherry-pick', 'mine', 'checkout/payments/gateway', '--dry-run')).toContain(
      'would take from mine',
    );
    expect(await done('cherry-pick', 'mine', 'checkout/payments', 'gateway')).toContain('    + {"timeout": 1500}');
    expect(await done('cherry-pick', 'mine', '--entry', 'checkout/payments/more')).toContain('took from mine to main');
    expect(await mem('refresh')).toMatchObject({ code: 5 });
    for (const wrong of [[], ['mine'], ['mine', 'nothing']])
      expect(await mem('cherry-pick', ...wrong)).toMatchObject({ code: 2, out: '' });
    expect(await mem('cherry-pick', 'mine', 'checkout/payments/none')).toMatchObject({ code: 3 });
  });

  it('sets, lists and deletes tags, and rolls back to them', async () => {
    await write({ max: 5, backoff: 'linear' });
    expect(await done('tag', 'v1', '-m', 'the first')).toContain('tagged main@1 as v1');
    await write({ max: 9, backoff: 'linear' }, '--agent', 'importer');
    await done('write', 'checkout/cart', 'owner', 'wrong', '--agent', 'other');
    const trial = ['~ checkout/payments retry (v2 → as v1)', '    - max: 9', '    + max: 5'];
    expect(await done('rollback', 'v1', '--dry-run')).toBe(
      [
        'would roll back main to 1: 1 restored, 1 deleted',
        ...trial,
        '- checkout/cart owner (v1, deleted)',
        '    - "wrong"',
        '',
      ].join('\n'),
    );
    for (const filter of [
      ['--written-by', 'importer'],
      ['--path', 'checkout/payments'],
    ])
      expect(await done('rollback', 'tags/v1', '--dry-run', ...filter)).toContain('1 restored\n');
    expect(await done('rollback', 'main@1', '--dry-run')).toContain('1 restored, 1 deleted');
    const screen = { env: desk.env, folder: desk.folder, screen: COLOURED };
    expect((await runInProcess(['rollback', '1', '--dry-run'], screen)).out).toContain('\u001b[31m- max: 9\u001b[0m');
    const back = await done('rollback', 'v1');
    expect(await valueHere()).toEqual({ max: 5, backoff: 'linear' });
    const undo = /^mem rollback (\S+) undoes it$/m.exec(back)?.[1] ?? '';
    await done('rollback', undo);
    expect(await valueHere()).toEqual({ max: 9, backoff: 'linear' });
    expect(await mem('rollback', '2999-01-01', '--dry-run')).toMatchObject({ code: expect.any(Number) });
    expect(await done('tag')).toMatch(/^v1 /m);
    expect(await done('tag', '-d', 'v1')).toContain('deleted the tag v1');
    expect(await mem('rollback', 'v1')).toMatchObject({
      code: 3,
      err: 'mem: there is no tag "v1": mem tag lists them\n',
    });
    await done('switch', '-c', 'mine');
    await done('write', 'checkout/cart', 'mine', '1');
    await done('tag', 'of-mine');
    expect(JSON.parse(await done('tag', '--json')).tags[0]).toMatchObject({ name: 'of-mine', of_branch: 'mine' });
    for (const wrong of [['-d'], ['--at', 'main'], ['x', '-d', '--at', 'main']])
      expect(await mem('tag', ...wrong)).toMatchObject({ code: 2, out: '' });
    for (const wrong of [[], ['a@b'], ['v1@1', '--branch', 'main']])
      expect(await mem('rollback', ...wrong)).toMatchObject({ code: 2, out: '' });
  });
});

it('a project with a store of its own is switched as a whole', async () => {
  const desk = await openDesk({ MEM_DATA_DIR: '' });
  try {
    const below = join(desk.folder, 'src');
    mkdirSync(join(desk.folder, '.amfs'));
    mkdirSync(below);
    const run = (folder: string, ...args: string[]) => runInProcess(args, { env: desk.env, folder });
    expect((await run(desk.folder, 'write', ...ENTRY, '1')).code).toBe(0);
    expect((await run(below, 'switch', '-c', 'mine')).out).toBe(
      `created and switched to mine in ${desk.folder} and below\n`,
    );
    expect((await run(desk.folder, 'write', ...ENTRY, '2')).out).toContain('on mine');
  } finally {
    desk.remove();
  }
});

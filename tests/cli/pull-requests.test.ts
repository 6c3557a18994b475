import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Desk, openDesk, type Run, type ServingProcess, serve } from './support.ts';

const KEY = 'a-key-for-the-tests';
const REVIEWER = 'another-key-for-the-tests';

describe.each(['a local store', 'a server'])('mem pr on %s', (where) => {
  let local: Desk;
  let desk: Desk;
  let server: ServingProcess | undefined;
  beforeEach(async () => {
    local = await openDesk();
    server = where === 'a server' ? await serve({ ...local.env, MEM_API_KEYS: `${KEY},${REVIEWER}` }) : undefined;
    desk = server ? await openDesk({ MEM_HTTP_URL: server.url, MEM_API_KEY: KEY }) : local;
    await done('write', 'checkout/payments', 'retry', '{"max": 5}');
    await done('switch', '-c', 'experiment/retries');
    await done('write', 'checkout/payments', 'retry', '{"max": 3}');
  });
  afterEach(async () => {
    await server?.stop();
    desk.remove();
    local.remove();
  });

  const mem = (...args: string[]): Promise<Run> => desk.inProcess(args);
  const done = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await mem(...args);
    expect({ args, code, err }).toEqual({ args, code: 0, err });
    return out;
  };
  const idOf = (out: string) => /[0-9a-z]{26}/.exec(out)?.[0] ?? '';

  it('opens, shows, reviews and merges that of the current branch', async () => {
    await done('protect-branch', 'main', '--required-approvals', '1');
    const opened = await done('pr', 'open', 'Fewer retries', '--into', 'main');
    expect(opened).toMatch(/^opened [0-9a-z]{26} Fewer retries \(experiment\/retries into main\)\n$/);
    expect(await done('pr', 'list', '--status', 'open')).toContain('Fewer retries');
    expect(await done('pr', 'diff')).toMatch(/ {4}- max: 5\n {4}\+ max: 3\n/);
    const blocked = await done('pr', 'show');
    expect(blocked).toMatch(/^approvals {2}0 of 1$/m);
    expect(blocked).toMatch(/^! .+/m);
    expect(await mem('pr', 'merge')).toMatchObject({ code: 5, out: '' });
    const review = async (...words: string[]) =>
      (await desk.inProcess(['pr', 'review', ...words, '--agent', 'ada'], { env: { MEM_API_KEY: REVIEWER } })).out;
    expect(await review('--comment', 'why not four?')).toBe('ada commented: why not four?\n');
    expect(await review('--approve')).toBe('ada approved\n');
    expect(await done('pr', 'show', 'experiment/retries')).toMatch(/^approvals {2}1 of 1$/m);
    const trial = await done('pr', 'merge', '--dry-run');
    expect(trial).toContain('would merge experiment/retries into main: 1 modified');
    const merged = await mem('pr', 'merge', idOf(opened));
    expect(merged).toMatchObject({ code: 0, err: expect.stringContaining('mem switch main') });
    expect(merged.out).toMatch(/^merged experiment\/retries into main: 1 modified\n[\s\S]* {4}\+ max: 3\n$/);
    expect(await done('pr', 'show')).toMatch(/^status {5}merged by cli, /m);
  });

  it('closes and reopens, changes its words and posts checks', async () => {
    const id = idOf(await done('pr', 'open', 'Fewer retries'));
    await done('switch', 'main');
    expect(await done('pr', 'edit', id, '--title', 'Three attempts')).toContain(`changed ${id} Three attempts`);
    expect(await done('pr', 'check', 'experiment/retries', 'acceptance', 'passed')).toMatch(/^passed {2}acceptance/);
    expect(await done('pr', 'close', 'experiment/retries')).toContain(`closed ${id}`);
    expect(await done('pr', 'reopen', 'experiment/retries')).toContain(`opened again ${id}`);
    expect(JSON.parse(await done('pr', 'show', id, '--json'))).toMatchObject({
      title: 'Three attempts',
      status: 'open',
    });
  });

  it('says what is wrong', async () => {
    expect(await mem('pr')).toMatchObject({ code: 2, out: expect.stringContaining('Usage: mem pr <verb>') });
    expect(await mem('pr', 'opn')).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean open?') });
    expect(await mem('pr', 'show')).toMatchObject({
      code: 3,
      err: 'mem: there is no pull request of experiment/retries: mem pr list shows them, mem pr open makes one\n',
    });
    expect(await mem('pr', 'open')).toMatchObject({
      code: 2,
      err: expect.stringContaining('title is missing: see mem help pr open'),
    });
    await done('pr', 'open', 'Fewer retries', '-m', 'three suffice');
    expect(await mem('pr', 'open', 'Again')).toMatchObject({ code: 5 });
    expect(await mem('pr', 'review')).toMatchObject({ code: 2, err: expect.stringContaining('--approve') });
    expect((await mem('pr', 'review', '--approve', '--request-changes')).err).toContain('give one decision');
    expect(await mem('pr', 'review', '--approve')).toMatchObject({ code: 4, err: expect.stringContaining('--agent') });
    expect((await mem('help', 'pr', 'open')).out).toMatch(/^Usage: mem pr open <title>/);
    await done('switch', 'main');
    expect((await mem('pr', 'open', 'Again')).err).toContain('mem pr open <title> <branch>');
    await done('switch', '-');
    expect(await mem('pr', 'diff', 'experiment/retries', 'main')).toMatchObject({ code: 2, out: '' });
    expect((await mem('pr', 'review', '--help')).out).toContain('Usage: mem pr review');
  });
});

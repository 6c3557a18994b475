import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../packages/server/src/cli/index.ts';
import type { Terminal } from '../../packages/server/src/cli/terminal.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { programParts } from '../../packages/server/src/program.ts';
import { type Desk, openDesk } from './support.ts';

describe('erasing on the command line', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
    for (const key of ['a', 'b']) await desk.inProcess(['write', 'users/4711', key, '1', '--agent', 'bot']);
  });
  afterAll(() => desk.remove());

  it.each([
    ['erase', 'users/4711'],
    ['erase-agent', 'bot'],
  ])('%s takes --yes where there is nobody to ask', async (word, what) => {
    const { code, out, err } = await desk.inProcess([word, what]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`${word} erases for good: add --yes to do it, or --dry-run to see what would go`);
    expect((await desk.inProcess(['list', 'users/4711', '--json'])).out).toContain('"key":"a"');
    expect((await desk.inProcess([word, what, '--dry-run'])).code).toBe(0);
  });

  it('shows the counts on a terminal, and erases nothing without agreement', async () => {
    let err = '';
    const gone = AbortSignal.abort();
    const terminal: Terminal = {
      screen: { width: undefined, colour: false },
      stdin: Object.assign(Readable.from([]), { isTTY: true }) as Terminal['stdin'],
      out: () => {},
      err: (text) => {
        err += text;
      },
      gone,
    };
    const parts = { ...programParts, readEnvironment: () => desk.env, readConfig: () => readConfig(desk.env) };
    expect(await runCli(['erase', 'users/4711'], parts, terminal)).toBe(0);
    expect(err).toMatch(/entries +2/);
    expect(err).toContain('nothing was erased');
    expect((await desk.inProcess(['list', 'users/4711', '--json'])).out).toContain('"key":"a"');
  });

  it('erases with --yes', async () => {
    const { code, out } = await desk.inProcess(['erase', 'users/4711', '--yes', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ dry_run: false, erased: { entries: 2 } });
    expect((await desk.inProcess(['agents.erase', 'bot', '--yes'])).code).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import { commands, listedCommands } from '../../packages/server/src/cli/commands.ts';
import { groupsOf } from '../../packages/server/src/cli/groups.ts';
import { fullOverview, overview } from '../../packages/server/src/cli/help.ts';
import { ownCommands } from '../../packages/server/src/cli/own/index.ts';
import { commandWords, subjectWords } from '../../packages/server/src/cli/words.ts';
import { openDesk } from './support.ts';

const wordsIn = (text: string) => [...text.matchAll(/^ {2}([a-z][a-z.-]*) {2,}\S/gm)].map(([, word]) => word);

describe('the words of the command line', () => {
  it('mem alone shows sixteen commands on standard output and is no error', async () => {
    const desk = await openDesk();
    try {
      const { code, out, err } = await desk.mem([]);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(wordsIn(out)).toHaveLength(16);
      expect(out.split('\n').length).toBeLessThan(26);
      expect(out).toContain('mem help --all');
      expect((await desk.inProcess(['help'])).out).toBe(out);
      expect((await desk.inProcess(['--help'])).out).toBe(out);
    } finally {
      desk.remove();
    }
  });

  it('mem help --all lists every command once under a title that says what for, those sixteen among them', async () => {
    const all = wordsIn(fullOverview('1'));
    expect([...all].sort()).toEqual(commandWords().sort());
    expect(all).toEqual(expect.arrayContaining(wordsIn(overview('1')) as string[]));
    for (const line of fullOverview('1').split('\n')) expect(line.length).toBeLessThanOrEqual(120);
    for (const { title } of groupsOf(subjectWords)) expect(title).toMatch(/^[A-Z][\w ]+: \w.+/);
  });

  it('are spelled in one style, and none stands for two things', () => {
    const words = commandWords();
    expect(words.filter((word) => !/^[a-z]+(-[a-z]+)*$/.test(word))).toEqual([]);
    expect(new Set(words).size).toBe(words.length);
    const spellings = [
      ...commands.flatMap(({ word, also }) => [word, ...also]),
      ...ownCommands.map(({ word }) => word),
    ];
    expect(spellings.filter((word, at) => spellings.indexOf(word) !== at)).toEqual([]);
  });

  it('have no twins: what another command does in one go is not listed', () => {
    const words = commandWords();
    for (const twin of ['stream', 'account', 'log.list', 'transfer.export', 'transfer.add', 'entries.import'])
      expect(words).not.toContain(twin);
    expect(listedCommands.map(({ name }) => name)).not.toContain('log.list');
  });

  it('older spellings and the names of the API still work', async () => {
    const desk = await openDesk();
    try {
      expect((await desk.inProcess(['entries.write', 'svc', 'k', '1'])).code).toBe(0);
      expect((await desk.inProcess(['write', 'svc', 'k', '2'])).code).toBe(0);
      expect((await desk.inProcess(['restore', 'svc', 'k', '1'])).out).toContain('is back as version 3');
      expect((await desk.inProcess(['log.list', '--json'])).code).toBe(0);
      expect((await desk.inProcess(['account', 'list'])).code).toBe(0);
      expect((await desk.inProcess(['stream', '--help'])).out).toContain('Usage: mem watch');
      for (const name of ['sessions.record_error', 'keys.create', 'audit.verify', 'traces.verify', 'transfer.status'])
        expect((await desk.inProcess([name, '--help'])).code, name).toBe(0);
    } finally {
      desk.remove();
    }
  });
});

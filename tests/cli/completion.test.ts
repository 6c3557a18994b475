import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operationNames } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionScript, type Shell, shells } from '../../packages/server/src/cli/complete.ts';
import { ownCommands } from '../../packages/server/src/cli/own/index.ts';
import { type Desk, openDesk } from './support.ts';

describe('completion', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
    expect(await desk.bash('mem completion bash > completion')).toMatchObject({ code: 0, err: '' });
  });
  afterAll(() => desk.remove());

  /** What bash offers for the last of the words, asked as the shell asks. */
  async function offers(...words: string[]): Promise<string[]> {
    const line = words.map((word) => `'${word}'`).join(' ');
    const { out, err } = await desk.bash(
      `source completion; COMP_WORDS=(mem ${line}); COMP_CWORD=${words.length}; _mem; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p mem`,
    );
    expect(err).toBe('');
    const lines = out.trim().split('\n');
    expect(lines.pop()).toBe('complete -F _mem mem');
    return lines;
  }

  it.concurrent.each([
    [['wr'], ['write']],
    [['comm'], ['commit', 'commits']],
    [['erase'], ['erase', 'erase-agent']],
    [['entries.'], operationNames.filter((name) => name.startsWith('entries.'))],
    [['write', 'a', 'k', '--conf'], ['--confidence']],
    [['entries.write', '--no-s'], ['--no-shared']],
    [
      ['write', '--memory-type', ''],
      ['fact', 'belief', 'experience', 'procedure'],
    ],
    [
      ['search', 'words', '--sort-by', 're'],
      ['relevance', 'recency'],
    ],
    [['list', '--al'], ['--all']],
    [['completion', ''], [...shells]],
    [['init', '--client', 'cu'], ['cursor']],
    [['init', '--no-'], ['--no-guide']],
    [['doctor', '--j'], ['--json']],
    [['help', 'his'], ['history']],
    [['read', 'a'], []],
  ])('bash completes %j', async (words, expected) => {
    expect(await offers(...words)).toEqual(expected);
  });

  it('bash completes files where a command takes one', async () => {
    await desk.bash('touch some-writes.json');
    expect(await offers('commit', 'some-')).toEqual(['some-writes.json']);
  });

  const hasZsh = !spawnSync('zsh', ['--version']).error;
  it.skipIf(!hasZsh).each([
    [['wr'], 'write'],
    [['init', '--client', ''], 'claude-desktop'],
    [['stream', '--types', ''], 'outcome'],
    [['entries.write', '--memory-type', ''], 'belief'],
    [['doctor', '--'], '--json'],
    [['help', ''], 'doctor'],
    [['completion', ''], 'fish'],
  ])('zsh completes %j', (words, expected) => {
    // The functions of its line editor that the script calls, printing what they are given.
    const editor = 'compdef() {}; compadd() { print -rl -- "$@" }; _describe() { print -rl -- $found }; _files() {}';
    const line = `words=(mem ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}; PREFIX='${words.at(-1)}'; _mem`;
    const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', `${editor}\n${completionScript('zsh')}\n${line}`], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(stdout.split('\n').map((offer) => offer.split(':')[0])).toContain(expected);
  });

  const hasFish = !spawnSync('fish', ['--version']).error;
  it.skipIf(!hasFish).each([
    ['wr', ['write']],
    ['init --client cur', ['cursor']],
    ['stream --types outc', ['outcome']],
    ['write --memory-type b', ['belief']],
    ['doctor --js', ['--json']],
    ['init --no-', ['--no-guide']],
    ['completion ', [...shells].sort()],
  ])('fish completes mem %s', (line, expected) => {
    const script = `${completionScript('fish')}\ncomplete -C 'mem ${line}'\n`;
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script], {
      encoding: 'utf8',
      env: { ...process.env, HOME: desk.folder },
    });
    expect(stderr).toBe('');
    expect(
      stdout
        .trim()
        .split('\n')
        .map((offer) => offer.split('\t')[0]),
    ).toEqual(expected);
  });

  it('the script for PowerShell has tables of words, flags and choices, in its own quotes', () => {
    const script = completionScript('powershell');
    expect(script).toContain('Register-ArgumentCompleter -Native -CommandName mem -ScriptBlock {');
    expect(script).toMatch(/^ {4}'write' = 'Write an entry'$/m);
    expect(script).toMatch(/^ {4}'entries\.write' = @\('--entity-path', .*'--no-shared', .*'--help'\)$/m);
    expect(script).toMatch(/^ {4}'write --memory-type' = @\('fact', 'belief', 'experience', 'procedure'\)$/m);
    // Outside of quotes brackets are balanced, and a key occurs once in its table: PowerShell refuses anything else.
    const code = script.replace(/^#.*$/gm, '').replace(/'(?:[^']|'')*'/g, '');
    for (const [open, close] of ['()', '{}', '[]'].map((pair) => pair.split('') as [string, string]))
      expect(code.split(open).length).toBe(code.split(close).length);
    const tables = script.split(/^ {2}\$\w+ = (?:\[ordered\])?@\{$/m).slice(1);
    expect(tables).toHaveLength(3);
    for (const table of tables) {
      const keys = [...(table.split('\n  }')[0] ?? '').matchAll(/^ {4}'([^']+)' =/gm)].map(([, key]) =>
        key?.toLowerCase(),
      );
      expect(new Set(keys).size).toBe(keys.length);
      expect(keys.length).toBeGreaterThan(50);
    }
  });

  const hasPowerShell = !spawnSync('pwsh', ['--version']).error;
  it.skipIf(!hasPowerShell).each([
    ['mem wr', 'write'],
    ['mem write --memory-type ', 'belief'],
    ['mem doctor --js', '--json'],
  ])('PowerShell completes %j', (line, expected) => {
    const script = `${completionScript('powershell')}\n(TabExpansion2 '${line}' ${line.length}).CompletionMatches.CompletionText`;
    const { stdout } = spawnSync('pwsh', ['-NoProfile', '-Command', script], { encoding: 'utf8' });
    expect(stdout.split(/\r?\n/)).toContain(expected);
  });

  it.each(shells)('the script for %s is valid and names every command', (shell: Shell) => {
    const script = completionScript(shell);
    for (const name of operationNames) expect(script).toContain(name);
    for (const { word } of ownCommands) expect(script).toMatch(new RegExp(`\\b${word}\\b`));
    const file = join(desk.folder, `mem.${shell}`);
    writeFileSync(file, script);
    if (shell === 'powershell') return;
    const { status, stderr, error } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
    if (!error) expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

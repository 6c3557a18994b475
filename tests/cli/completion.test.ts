import { spawnSync } from 'node:child_process';
import { operationNames } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionScript, type Shell, shells } from '../../packages/server/src/cli/complete.ts';
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
    [['comm'], ['commit', 'commits', 'commits.read']],
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
    [['help', 'his'], ['history']],
    [['read', 'a'], []],
  ])('bash completes %j', async (words, expected) => {
    expect(await offers(...words)).toEqual(expected);
  });

  it('bash completes files where a command takes one', async () => {
    await desk.bash('touch some-writes.json');
    expect(await offers('commit', 'some-')).toEqual(['some-writes.json']);
  });

  it.each(shells)('the script for %s is valid and names every command', (shell: Shell) => {
    const script = completionScript(shell);
    for (const name of operationNames) expect(script).toContain(name);
    const { status, stderr, error } = spawnSync(shell, ['-n'], { input: script, encoding: 'utf8' });
    if (!error) expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

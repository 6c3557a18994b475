import { execFileSync } from 'node:child_process';
import { Readable } from 'node:stream';
import { operations } from '@mem-service/contract';
import { describe, expect, it } from 'vitest';
import { commands, findCommand } from '../../packages/server/src/cli/commands.ts';
import { examples } from '../../packages/server/src/cli/examples.ts';
import { commandHelp } from '../../packages/server/src/cli/help.ts';
import { readInput } from '../../packages/server/src/cli/input.ts';
import { findOwn, ownCommands } from '../../packages/server/src/cli/own/index.ts';
import { parseArgs } from '../../packages/server/src/cli/parse.ts';

/** The words of each `mem` in the lines, as bash takes them apart. */
function wordsOf(lines: readonly string[]): string[][] {
  const script = `mem() { printf '%s\\x1f' "$@"; printf '\\x1e'; }; jq() { cat >/dev/null; }\n`;
  return lines.map((line) => {
    const text = line
      .replace(/\s*\|\s*jq .*$/, '')
      .replace(/^.*?\|\s*(?=mem )/, '')
      .replace(/^(?:\w+=\S+ )+/, '');
    const out = execFileSync('bash', ['-c', `${script}${text}`], { encoding: 'utf8' });
    return out.split('\x1e')[0]?.split('\x1f').slice(0, -1) ?? [];
  });
}

const lines = Object.values(examples).flatMap((some) => some.map(([, line]) => line));

describe('the examples of the help', () => {
  const words = wordsOf(lines);

  it.each(lines.map((line, at) => [line, words[at] as string[]] as const))(
    '%s is understood',
    async (line, [word = '', ...args]) => {
      const command = findCommand(word);
      expect(command).toBeDefined();
      if (!command) return;
      const given = parseArgs(command, args);
      const piped = /^echo '(.*)' \|/.exec(line)?.[1];
      const stdin = Object.assign(Readable.from(piped ? [Buffer.from(piped)] : []), { isTTY: piped === undefined });
      // The file of this one is not there.
      if (args.includes('writes.json')) return;
      const input = await readInput(command, given, { stdin, env: {} });
      expect(operations[command.name].input.safeParse(input).error).toBeUndefined();
    },
  );

  it('are for the command they stand with', () => {
    for (const [name, some] of Object.entries(examples))
      for (const [at, [, line]] of some.entries()) {
        const [word] = wordsOf([line])[0] as string[];
        expect(findCommand(word as string)?.name, `${name} ${at}`).toBe(name);
      }
  });
});

it.each(commands.map(({ word, name }) => [word, name]))(
  'the help of %s has every section and fits a screen',
  (word) => {
    const command = findCommand(word);
    const help = command ? commandHelp(command) : '';
    expect(help).toMatch(
      /^Usage: mem [\s\S]*\n\nCommon flags:\n[\s\S]*\n\nExamples:\n {2}\S[\s\S]*\n\nExit codes:\n {2}0 {2}done\n/,
    );
    const [before = ''] = help.split('\n\nExamples:');
    expect(before.split('\n').filter((line) => line.length > 100)).toEqual([]);
  },
);

it.each(ownCommands.map(({ word }) => word))('mem %s has help with examples that it understands', (word) => {
  const { help, args, fields } = findOwn(word) as NonNullable<ReturnType<typeof findOwn>>;
  expect(help).toMatch(new RegExp(`^Usage: mem ${word}[ \\n]`));
  const typed = (help.split('Examples:\n')[1] ?? '').split('\n').filter((line) => /^ {2}[^#]/.test(line));
  expect(typed.length).toBeGreaterThan(1);
  for (const words of wordsOf(typed.map((line) => line.trim()))) {
    expect(words[0]).toBe(word);
    // A verb of accounts is an operation with arguments of its own.
    const verb = word === 'account' ? findCommand(`accounts.${words[1]}`) : undefined;
    parseArgs(verb ?? { word, args, fields, common: [] }, words.slice(verb ? 2 : 1));
  }
});

import { listedCommands, pairsWith } from './commands.ts';
import type { SubjectWord } from './groups.ts';
import { type OwnCommand, ownCommands } from './own/index.ts';

/** Every first word with its summary: the program's own commands before the operations. */
export const ownWords: readonly (readonly [word: string, summary: string])[] = [
  ...ownCommands
    .filter(({ hidden, module }) => !hidden && module === undefined)
    .map(({ word, summary }) => [word, summary] as const),
  ['completion', 'Print a completion script for bash, zsh, fish or PowerShell'],
  ['help', 'Print help, also for one command; --all lists them all'],
];

/** Everything that has a subject: operations, and the program's own commands that combine them. */
export const subjectWords: readonly SubjectWord[] = [
  ...ownCommands.flatMap(({ word, summary, module, hidden }) =>
    module === undefined || hidden ? [] : [{ word, summary, module }],
  ),
  ...listedCommands.map(({ word, operation: { summary, module } }) => ({ word, summary, module })),
];

export const commandWords = (): string[] =>
  [...subjectWords, ...ownWords.map(([word]) => ({ word }))].map(({ word }) => word);

export type WordPair = { pair: string; summary: string };

/** The commands of two words that begin with a word which is no command by itself. */
export const pairsFrom = (word: string): WordPair[] => [
  ...pairsWith(word).map(({ pair, command: { operation } }) => ({ pair, summary: operation.summary })),
  ...ownCommands.flatMap(({ pair, summary }: OwnCommand) => (pair?.startsWith(`${word} `) ? [{ pair, summary }] : [])),
];

import { commands } from './commands.ts';
import { ownCommands } from './own/index.ts';

/** Every first word with its summary: the program's own commands before the operations. */
export const ownWords: readonly (readonly [word: string, summary: string])[] = [
  ...ownCommands.map(({ word, summary }) => [word, summary] as const),
  ['completion', 'Print a completion script for bash, zsh or fish'],
  ['help', 'Print help, also for one command'],
];

export const commandWords = (): string[] => [...commands.map(({ word }) => word), ...ownWords.map(([word]) => word)];

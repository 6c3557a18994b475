import { commands } from './commands.ts';
import { ownCommands } from './own/index.ts';

/** Every word that may come first, and what it does: the program's own before the operations. */
export const ownWords: readonly (readonly [word: string, summary: string])[] = [
  ...ownCommands.map(({ word, summary }) => [word, summary] as const),
  ['completion', 'Print a completion script for bash, zsh or fish'],
  ['help', 'Print help, also for one command'],
];

export const commandWords = (): string[] => [...commands.map(({ word }) => word), ...ownWords.map(([word]) => word)];

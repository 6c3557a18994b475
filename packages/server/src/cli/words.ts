import { listedCommands } from './commands.ts';
import { ownCommands } from './own/index.ts';

/** Every first word with its summary: the program's own commands before the operations. */
export const ownWords: readonly (readonly [word: string, summary: string])[] = [
  ...ownCommands.filter(({ hidden }) => !hidden).map(({ word, summary }) => [word, summary] as const),
  ['completion', 'Print a completion script for bash, zsh, fish or PowerShell'],
  ['help', 'Print help, also for one command; --all lists them all'],
];

export const commandWords = (): string[] => [
  ...listedCommands.map(({ word }) => word),
  ...ownWords.map(([word]) => word),
];

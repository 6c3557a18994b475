import { Fault, JsonText } from '@mem-service/contract';
import type { Command } from './commands.ts';
import { abouts, examples } from './examples.ts';
import { exitCodeOf, exitCodes } from './failure.ts';
import type { CommandField } from './fields.ts';
import { groupsOf } from './groups.ts';
import { exampleLines, rows, syntaxHelp, wrap } from './help-text.ts';
import { ownWords, subjectWords, type WordPair } from './words.ts';

/** What a new user needs first. */
const FIRST = [
  'init',
  'serve',
  'status',
  'doctor',
  'write',
  'ask',
  'read',
  'search',
  'list',
  'briefing',
  'outcome',
  'log',
  'branch',
  'switch',
  'diff',
  'merge',
];

/** `mem`, `mem help` and `mem --help`. */
export function overview(version: string): string {
  const summaries = new Map([...ownWords, ...subjectWords.map(({ word, summary }) => [word, summary] as const)]);
  return `mem ${version}: memory for software agents

Usage: mem <command> [arguments] [flags]

${rows(FIRST.map((word) => [word, summaries.get(word) ?? '']))}

${rows([
  ['mem help --all', `all ${summaries.size} commands, by subject, and the exit codes`],
  ['mem help <command>', 'its arguments, flags and examples'],
])}
`;
}

/** `mem help --all`. */
export function fullOverview(version: string): string {
  const width = Math.max(...subjectWords.map(({ word }) => word.length));
  const lines = (pairs: readonly (readonly [string, string])[]) =>
    rows(pairs.map(([word, text]) => [word.padEnd(width), text]));
  const listed = groupsOf(subjectWords).map(
    ({ title, members }) => `${title}:\n${lines(members.map(({ word, summary }) => [word, summary]))}`,
  );
  return `mem ${version}: memory for software agents

Usage: mem <command> [arguments] [flags]

${lines(ownWords)}

${listed.join('\n\n')}

mem help <command> lists its arguments and flags. An operation can also be called by the name that the API has
for it, such as mem entries.write.

Memory is the server at MEM_HTTP_URL (with the key in MEM_API_KEY), else PostgreSQL at MEM_POSTGRES_DSN, else the
folder MEM_DATA_DIR, else .amfs in this folder or a parent of it, else your own store in ~/.mem/store. mem status
says which it is, and why. Reading creates no store.

Exit codes:
${rows(Object.entries(exitCodes))}
`;
}

/** `mem help <command>`. */
export function commandHelp(command: Command): string {
  const { operation, name, word } = command;
  const about = abouts[command.name] ?? operation.description;
  const text = about ? `${operation.summary}. ${about}` : `${operation.summary}.`;
  const parts = [
    syntaxHelp(command, text),
    exampleLines([['', exampleOf(command)], ...(examples[command.name] ?? [])]),
    `Exit codes:\n${rows(exitCodesFor(command))}`,
    ...seeAlso(command),
    ...(word === name ? [] : [`In the API: ${name}.`]),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** `mem eval`, `mem help eval`: a first word with all that may follow it. */
export function pairsHelp(word: string, pairs: readonly WordPair[]): string {
  return `Usage: mem ${word} <command> [arguments] [flags]

${rows(pairs.map(({ pair, summary }) => [pair, summary]))}

mem help ${word} <command> lists its arguments and flags.
`;
}

/** The exit codes of this command, besides those of every command. */
function exitCodesFor({ operation, name }: Command): [string, string][] {
  const own = operation.errors.map((code) => exitCodeOf(new Fault(code, '').toProblem()));
  // 3 also where there is no store to read.
  const all = [...new Set([0, 2, 3, 4, 6, ...own, ...(hasVerdict({ operation, name }) ? [1] : [])])].sort();
  return all.map((code) => [String(code), exitCodes[code as keyof typeof exitCodes]]);
}

/** A verification, or what finds conflicts in a dry run. */
const hasVerdict = ({ operation, name }: Pick<Command, 'operation' | 'name'>): boolean =>
  name.endsWith('.verify') || name === 'case_runs.create' || operation.errors.includes('merge_conflicts');

/** More than these nobody reads: then only those of the same module are named. */
const MAX_OTHERS = 24;

/** Other commands of its group. */
function seeAlso({ word, operation: { module } }: Command): string[] {
  const group = groupsOf(subjectWords).find(({ members }) => members.some((one) => one.module === module));
  const all = (group?.members ?? []).filter((one) => one.word !== word);
  const near = all.length > MAX_OTHERS ? all.filter((one) => one.module === module) : all;
  const others = near.map((one) => `mem ${one.word}`);
  return others.length === 0 ? [] : [wrap(`See also: ${others.join(', ')}.`, 100).join('\n')];
}

/** The operation's example as a command line. */
export function exampleOf({ word, args, fields, operation }: Command): string {
  const example = operation.example(0) as Record<string, unknown>;
  const used = fields.filter(({ name }) => example[name] !== undefined);
  const document = used.find((field) => field.kind === 'document' && args.includes(field));
  const words = args.flatMap((arg) => (used.includes(arg) && arg !== document ? [argumentOf(arg, example)] : []));
  const flags = used
    .filter((field) => !args.includes(field))
    .map((field) => {
      const { flag, kind, name } = field;
      if (kind === 'boolean') return example[name] ? `--${flag}` : `--no-${flag}`;
      return `--${flag} ${argumentOf(field, example)}`;
    });
  const line = ['mem', word, ...words, ...flags].join(' ');
  return document ? `echo ${shellText(example[document.name])} | ${line}` : line;
}

const isPlain = (item: unknown) => typeof item === 'string' && !/[,[{]/.test(item);

function argumentOf({ kind, name }: CommandField, example: Record<string, unknown>): string {
  const value = example[name];
  const isNames = kind === 'list' && Array.isArray(value) && value.length > 0 && value.every(isPlain);
  return shellText(isNames ? value.join(',') : value);
}

export function shellText(value: unknown): string {
  const text = typeof value === 'string' ? value : JsonText.of(value).text;
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

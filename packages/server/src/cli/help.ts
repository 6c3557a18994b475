import { JsonText } from '@mem-service/contract';
import { type Command, commands, ownCommands } from './commands.ts';
import { exitCodes } from './failure.ts';
import type { Field } from './fields.ts';
import { groupsOf } from './groups.ts';

const rows = (pairs: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`.trimEnd()).join('\n');
};

/** `mem --help`. */
export function overview(version: string): string {
  const width = Math.max(...commands.map(({ word }) => word.length));
  const lines = (pairs: readonly (readonly [string, string])[]) =>
    rows(pairs.map(([word, text]) => [word.padEnd(width), text]));
  const listed = groupsOf(commands).map(
    ({ title, members }) => `${title}:\n${lines(members.map(({ word, operation }) => [word, operation.summary]))}`,
  );
  return `mem ${version}: memory for software agents

Usage: mem <command> [arguments] [flags]

${lines(Object.entries(ownCommands))}

${listed.join('\n\n')}

Each of these is also known by its full name, such as mem entries.write.
mem help <command> tells its arguments and flags.

Commands talk to the server at MEM_HTTP_URL (with the key in MEM_API_KEY). Where that is not set they open
the store of this machine: PostgreSQL at MEM_POSTGRES_DSN, else the folder MEM_DATA_DIR (default .amfs).

Exit codes:
${rows(Object.entries(exitCodes))}
`;
}

export const serveHelp = `Usage: mem serve

Starts the service and stays until it is told to stop (SIGINT, SIGTERM). It is set up by variables alone:

${rows([
  ['MEM_HTTP_HOST', 'address to listen on (0.0.0.0)'],
  ['MEM_HTTP_PORT', 'port to listen on (8080); 0 takes a free one'],
  ['MEM_API_KEYS', 'keys that are let in, separated by commas (none: everybody is)'],
  ['MEM_DATA_DIR', 'folder of the SQLite database (.amfs)'],
  ['MEM_POSTGRES_DSN', 'use this PostgreSQL database instead'],
  ['MEM_LOG_LEVEL', 'fatal, error, warn, info, debug, trace or silent (info)'],
])}
`;

/** `mem help <command>`. */
export function commandHelp(command: Command): string {
  const { operation, word, name, args, fields, common } = command;
  const flags = fields.filter((field) => !args.includes(field));
  const parts = [
    `Usage: ${usageOf(command)}`,
    operation.description ? `${operation.summary}. ${operation.description}` : `${operation.summary}.`,
    ...(args.length > 0 ? [`Arguments:\n${rows(args.map((arg) => [arg.name, argumentText(arg)]))}`] : []),
    ...(flags.length > 0
      ? [`Flags:\n${rows(flags.map((flag) => [negatable(flagOf(flag), flag), descriptionOf(flag)]))}`]
      : []),
    `Common flags:\n${rows(common.map((flag) => [flagOf(flag), descriptionOf(flag)]))}`,
    `Example:\n  ${exampleOf(command)}`,
    ...(word === name ? [] : [`Also known as mem ${name}.`]),
  ];
  return `${parts.join('\n\n')}\n`;
}

export function usageOf({ word, args }: Command): string {
  const shown = args.map(({ name, required, kind }) =>
    required && kind !== 'value' && kind !== 'object' ? `<${name}>` : `[${name}]`,
  );
  return ['mem', word, ...shown, '[flags]'].join(' ');
}

const SHAPES = {
  number: '<number>',
  list: '<a,b>',
  document: '<json>',
  object: '<json>',
  value: '<json>',
  text: '<text>',
};

/** Too many to stand beside the flag. */
const areMany = (choices: readonly string[]) => choices.join('|').length > 60;

function flagOf({ flag, kind, choices }: Field): string {
  if (kind === 'boolean') return `--${flag}`;
  if (kind === 'choice') return `--${flag} ${areMany(choices) ? SHAPES.text : choices.join('|')}`;
  return `--${flag} ${SHAPES[kind]}`;
}

const negatable = (shown: string, { kind, flag }: Field) => (kind === 'boolean' ? `--[no-]${flag}` : shown);

function argumentText(field: Field): string {
  const sources: Partial<Record<Field['kind'], string>> = {
    value: 'JSON, or text where it is no JSON. - or nothing: read from standard input.',
    object: 'A JSON object. - or nothing: read from standard input.',
    document: 'A file with a JSON list, or the list itself. - or nothing: read from standard input.',
  };
  const choices = areMany(field.choices) ? '' : choicesOf(field);
  return sources[field.kind] ?? [choices, descriptionOf(field)].filter(Boolean).join(' ');
}

const choicesOf = ({ choices }: Field) => (choices.length === 0 ? '' : `One of ${choices.join(', ')}.`);

function descriptionOf(field: Field): string {
  const { description = '', fallback, choices } = field;
  // That nothing is given where nothing is given needs no word.
  const isNothing = fallback === undefined || fallback === '' || typeof fallback === 'object';
  const preset = isNothing ? '' : `Default: ${fallback}.`;
  return [areMany(choices) ? choicesOf(field) : '', description.replaceAll('`', ''), preset].filter(Boolean).join(' ');
}

/** The example of the operation as somebody would type it. */
export function exampleOf({ word, args, fields, operation }: Command): string {
  const example = operation.example as Record<string, unknown>;
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

function argumentOf({ kind, name }: Field, example: Record<string, unknown>): string {
  const value = example[name];
  const isNames = kind === 'list' && Array.isArray(value) && value.length > 0 && value.every(isPlain);
  return shellText(isNames ? value.join(',') : value);
}

function shellText(value: unknown): string {
  const text = typeof value === 'string' ? value : JsonText.of(value).text;
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

import { type CommandField, flagNames } from './fields.ts';
import type { CommandSyntax } from './parse.ts';

const WIDTH = 100;
/** Longer names have their text on the next line. */
const MAX_NAME = 34;

/** Wraps text at a width that is easy to read. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Two columns: names, and their descriptions. */
export function rows(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length).filter((length) => length <= MAX_NAME), 0);
  const beside = (name: string, text: string) => `  ${name.padEnd(width)}  ${text}`.trimEnd();
  return pairs
    .flatMap(([name, text]) => {
      const lines = wrap(text, WIDTH - width - 4);
      if (name.length > width)
        return text === '' ? [`  ${name}`] : [`  ${name}`, ...lines.map((line) => beside('', line))];
      return lines.map((line, at) => beside(at === 0 ? name : '', line));
    })
    .join('\n');
}

/** Commands to type, each with its purpose above it. */
export const exampleLines = (all: readonly (readonly [text: string, line: string])[]): string =>
  `Examples:\n${all.map(([text, line]) => `${text === '' ? '' : `  # ${text}\n`}  ${line}`).join('\n')}`;

/** Usage, description, arguments and flags. */
export function syntaxHelp(syntax: CommandSyntax, text: string): string {
  const { args, fields, common } = syntax;
  const flags = fields.filter((field) => !args.includes(field));
  const parts = [
    `Usage: ${usageOf(syntax)}`,
    paragraphs(text),
    ...(args.length > 0 ? [`Arguments:\n${rows(args.map((arg) => [arg.name, argumentText(arg)]))}`] : []),
    ...(flags.length > 0
      ? [`Flags:\n${rows(flags.map((flag) => [negatable(flagOf(flag), flag), descriptionOf(flag)]))}`]
      : []),
    ...(common.length > 0 ? [`Common flags:\n${rows(common.map((flag) => [flagOf(flag), descriptionOf(flag)]))}`] : []),
  ];
  return parts.join('\n\n');
}

const paragraphs = (text: string): string =>
  text
    .split('\n\n')
    // What is indented is laid out already.
    .map((text) => (text.startsWith('  ') ? text : wrap(text.replaceAll('\n', ' '), WIDTH).join('\n')))
    .join('\n\n');

export function usageOf({ word, args }: CommandSyntax): string {
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
  file: '<file>',
  secret: '-|env:<name>|<text>',
};

/** Too many to fit beside the flag. */
const areMany = (choices: readonly string[]) => choices.join('|').length > 60;

function flagOf(field: CommandField): string {
  const { kind, choices } = field;
  const names = flagNames(field).join(', ');
  if (kind === 'boolean') return names;
  if (kind === 'choice') return `${names} ${areMany(choices) ? SHAPES.text : choices.join('|')}`;
  return `${names} ${SHAPES[kind]}${field.takesNull ? '|null' : ''}`;
}

const negatable = (shown: string, { kind, flag, isSwitch }: CommandField) =>
  kind === 'boolean' && !isSwitch ? `--[no-]${flag}` : shown;

function argumentText(field: CommandField): string {
  const sources: Partial<Record<CommandField['kind'], string>> = {
    value:
      'JSON, or text where it is no JSON (what begins with { or [ must be JSON, or have --text). - or nothing: read ' +
      'from standard input.',
    object: 'A JSON object. - or nothing: read from standard input.',
    document: 'A file with a JSON list, or the list itself. - or nothing: read from standard input.',
  };
  const choices = areMany(field.choices) ? '' : choicesOf(field);
  return sources[field.kind] ?? [choices, descriptionOf(field)].filter(Boolean).join(' ');
}

const choicesOf = ({ choices }: CommandField) => (choices.length === 0 ? '' : `One of ${choices.join(', ')}.`);

function descriptionOf(field: CommandField): string {
  const { description = '', fallback, choices } = field;
  // An empty default is not shown.
  const isNothing = fallback === undefined || fallback === '' || typeof fallback === 'object';
  const source =
    field.kind === 'secret'
      ? '- reads it from standard input, env:NAME from the variable NAME; what is typed here others may see in the list of processes.'
      : '';
  const preset = isNothing ? '' : `Default: ${fallback}.`;
  return [areMany(choices) ? choicesOf(field) : '', description.replaceAll('`', ''), source, preset]
    .filter(Boolean)
    .join(' ');
}

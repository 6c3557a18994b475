import { suggest } from '@mem-service/contract';
import { UsageError } from './failure.ts';
import { type CommandField, flagNames } from './fields.ts';

/** The syntax of a command: `args` by position, and every field by flag. */
export type CommandSyntax = {
  word: string;
  args: readonly CommandField[];
  fields: readonly CommandField[];
  /** Flags that are not input fields. */
  common: readonly CommandField[];
};

/** The texts given for each field, by flag name, whether given by flag or by position. */
export type ParsedFlags = ReadonlyMap<string, readonly string[]>;

export const isOn = (given: ParsedFlags, flag: string): boolean => given.get(flag)?.[0] === 'true';

/** Splits a command line. Texts are converted later, by the kind of their field. */
export function parseArgs(command: CommandSyntax, args: readonly string[]): ParsedFlags {
  const given = new Map<string, string[]>();
  const words: string[] = [];
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') words.push(...rest.splice(0));
    else if (!isFlag(arg)) words.push(arg);
    else {
      const { field, text } = readFlag(command, arg, rest);
      add(given, field, text);
    }
  }
  if (!given.has('help')) assignPositional(command, words, given);
  return given;
}

/** `-` means standard input and `-5` is a number. */
const isFlag = (arg: string) => /^-[^\d.]/.test(arg) && arg !== '-';

function readFlag(command: CommandSyntax, arg: string, rest: string[]): { field: CommandField; text: string } {
  const [name, ...texts] = (arg === '-h' ? '--help' : arg).split('=') as [string, ...string[]];
  const text = texts.length > 0 ? texts.join('=') : undefined;
  const all = [...command.fields, ...command.common];
  const field = all.find((one) => flagNames(one).includes(name));
  if (field?.kind === 'boolean') return { field, text: booleanText(name, text) };
  if (field) return { field, text: text ?? nextText(name, rest) };
  const negated = all.find(({ flag, kind }) => kind === 'boolean' && `--no-${flag}` === name);
  if (negated && text === undefined) return { field: negated, text: 'false' };
  const flags = all.flatMap(flagNames);
  throw new UsageError(`${command.word} has no flag ${name}${suggest(name, flags)}`);
}

function booleanText(name: string, text = 'true'): string {
  if (text === 'true' || text === 'false') return text;
  throw new UsageError(`${name} is true or false, not ${JSON.stringify(text)}`);
}

function nextText(name: string, rest: string[]): string {
  const [next] = rest;
  if (next === undefined || next.startsWith('--')) throw new UsageError(`${name} needs a value`);
  rest.shift();
  return next;
}

function add(given: Map<string, string[]>, { flag, kind }: CommandField, text: string): void {
  const known = given.get(flag);
  if (known && kind !== 'list') throw new UsageError(`--${flag} is given twice`);
  given.set(flag, [...(known ?? []), text]);
}

/** Assigns words in order to the arguments that were not given by flag. */
function assignPositional(command: CommandSyntax, words: readonly string[], given: Map<string, string[]>): void {
  const open = command.args.filter(({ flag }) => !given.has(flag));
  const extra = words[open.length];
  if (extra !== undefined) {
    const taken =
      command.args.length === 0 ? 'nothing but flags' : command.args.map(({ flag }) => `<${flag}>`).join(' ');
    throw new UsageError(
      `${command.word} does not take ${JSON.stringify(extra)}: it takes ${taken}. Quote what belongs together`,
    );
  }
  words.forEach((word, at) => {
    add(given, open[at] as CommandField, word);
  });
}

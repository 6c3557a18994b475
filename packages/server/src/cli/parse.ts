import { UsageError } from './failure.ts';
import type { Field } from './fields.ts';
import { suggest } from './suggest.ts';

/** What a command line may hold: `args` by position, all of them by flag. */
export type Syntax = {
  word: string;
  args: readonly Field[];
  fields: readonly Field[];
  /** Flags that are no field of the input. */
  common: readonly Field[];
};

/** The texts given for each field, by flag, whether they came by flag or by position. */
export type Given = ReadonlyMap<string, readonly string[]>;

export const isOn = (given: Given, flag: string): boolean => given.get(flag)?.[0] === 'true';

/** Takes a command line apart. What the texts mean is decided later, by the kind of the field. */
export function parseArgs(command: Syntax, args: readonly string[]): Given {
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
  if (!given.has('help')) placeWords(command, words, given);
  return given;
}

/** `-` stands for standard input and `-5` is a number. */
const isFlag = (arg: string) => /^-[^\d.]/.test(arg) && arg !== '-';

function readFlag(command: Syntax, arg: string, rest: string[]): { field: Field; text: string } {
  const [name, ...texts] = (arg === '-h' ? '--help' : arg).split('=') as [string, ...string[]];
  const text = texts.length > 0 ? texts.join('=') : undefined;
  const all = [...command.fields, ...command.common];
  const field = all.find(({ flag }) => `--${flag}` === name);
  if (field?.kind === 'boolean') return { field, text: booleanText(name, text) };
  if (field) return { field, text: text ?? nextText(name, rest) };
  const negated = all.find(({ flag, kind }) => kind === 'boolean' && `--no-${flag}` === name);
  if (negated && text === undefined) return { field: negated, text: 'false' };
  const flags = all.map(({ flag }) => `--${flag}`);
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

function add(given: Map<string, string[]>, { flag, kind }: Field, text: string): void {
  const known = given.get(flag);
  if (known && kind !== 'list') throw new UsageError(`--${flag} is given twice`);
  given.set(flag, [...(known ?? []), text]);
}

/** What was not given by flag is taken in order. */
function placeWords(command: Syntax, words: readonly string[], given: Map<string, string[]>): void {
  const open = command.args.filter(({ flag }) => !given.has(flag));
  const extra = words[open.length];
  if (extra !== undefined)
    throw new UsageError(`${command.word} does not take ${JSON.stringify(extra)}: quote what belongs together`);
  words.forEach((word, at) => {
    add(given, open[at] as Field, word);
  });
}

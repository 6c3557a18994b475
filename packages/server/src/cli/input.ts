import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { attachRaw, JsonText, suggest } from '@mem-service/contract';
import type { Environment } from '../config.ts';
import { type Command, fieldLabel } from './commands.ts';
import { fileProblem, UsageError } from './failure.ts';
import type { CommandField } from './fields.ts';
import { isOn, type ParsedFlags } from './parse.ts';

export type CommandInput = Record<string, unknown>;

/** The source of a value or a document that is not on the command line. */
export type Stdin = AsyncIterable<Uint8Array> & { isTTY?: boolean };

/** Where a value is that is not on the command line. */
export type InputSources = { stdin: Stdin; env: Environment };

/** Converts texts into the operation's input, by the types of its fields. Flags override a document. */
export async function readInput(
  command: Command,
  given: ParsedFlags,
  { stdin, env }: InputSources,
): Promise<CommandInput> {
  refuseMissing(command, given);
  let document: CommandInput = {};
  let input: CommandInput = {};
  for (const field of command.fields) {
    const piped = isLong(field) && command.args.includes(field) && !stdin.isTTY;
    const texts = given.get(field.flag) ?? (piped ? ['-'] : undefined);
    if (!texts) continue;
    const text =
      texts[0] === '-' && (isLong(field) || field.kind === 'secret')
        ? await readAll(stdin, { name: field.name, word: command.word })
        : variableOr(texts[0] as string, field, env);
    if (field.kind === 'document') document = { ...document, ...(await readDocument(command, field, text as string)) };
    else
      input = {
        ...input,
        [field.name]: toInput(field, [text as string, ...texts.slice(1)], {
          label: fieldLabel(command, field),
          asText: isOn(given, 'text'),
        }),
      };
  }
  input = splitAddress(command, { ...document, ...input });
  const missing = command.fields.find(({ name, required }) => required && !(name in input));
  if (missing) throw new UsageError(`${fieldLabel(command, missing)} is missing: see mem help ${command.word}`);
  return input;
}

/** `env:NAME` for a secret: what others see of the command line is the name. */
function variableOr(text: string, { kind, flag }: CommandField, env: Environment): string {
  if (kind !== 'secret' || !text.startsWith('env:')) return text;
  const name = text.slice('env:'.length);
  const value = env[name];
  if (value) return value;
  throw new UsageError(`--${flag} names the variable ${JSON.stringify(name)}, which is not set`);
}

/** Standard input is read for a value only where everything before it was given. */
function refuseMissing(command: Command, given: ParsedFlags): void {
  const { args, word } = command;
  if (!args.some(isLong) || command.fields.some(({ kind, flag }) => kind === 'document' && given.has(flag))) return;
  const missing = args.filter((arg) => arg.required && !isLong(arg) && !given.has(arg.flag)).map(({ name }) => name);
  if (missing.length === 0) return;
  const names = missing.join(' and ');
  throw new UsageError(`${names} ${missing.length === 1 ? 'is' : 'are'} missing: see mem help ${word}`);
}

/** Where a path is given, it is that of an entry. */
const ONE_ENTRY: readonly string[] = ['quarantine.trace', 'quarantine.create'];

/** `path/key` in one word, where the key is missing: its last segment is the key. Erasing takes a path alone. */
function splitAddress({ args, name }: Command, input: CommandInput): CommandInput {
  const [path, key] = args;
  const { entity_path } = input;
  const takes = path?.name === 'entity_path' && key?.name === 'key' && (key.required || ONE_ENTRY.includes(name));
  if (!takes || 'key' in input || typeof entity_path !== 'string') return input;
  const [, before, last] = /^(.+)\/([^/]+)$/.exec(entity_path) ?? [];
  return before === undefined ? input : { ...input, entity_path: before, key: last };
}

const isLong = ({ kind }: CommandField) => kind === 'value' || kind === 'object' || kind === 'document';

type TextReading = { label: string; asText: boolean };

function toInput(field: CommandField, texts: readonly [string, ...string[]], { label, asText }: TextReading): unknown {
  const [text] = texts;
  if (field.takesNull && text === 'null') return null;
  switch (field.kind) {
    case 'value':
      return asText ? JsonText.of(text) : toValue(text, label);
    case 'object':
      return toObject(text, label);
    case 'list':
      return texts.flatMap((one) => toList(one, label));
    case 'boolean':
      return text === 'true';
    case 'number':
      return toNumber(text, label);
    default:
      if (field.kind === 'choice' && !field.choices.includes(text))
        throw new UsageError(
          `${label} must be one of ${field.choices.join(', ')}, not ${JSON.stringify(text)}${suggest(text, field.choices)}`,
        );
      return text;
  }
}

function toNumber(text: string, label: string): number {
  if (!/^-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(text))
    throw new UsageError(`${label} must be a number, not ${JSON.stringify(text)}`);
  return Number(text);
}

/** `a,b`, or JSON if an element contains a comma or is an object: a list, or a single element. */
function toList(text: string, label: string): unknown[] {
  if (!LIKE_JSON.test(text)) return text.split(',').map((part) => part.trim());
  const parsed = parseJson(text);
  if (parsed === undefined) throw new UsageError(`${label} begins like JSON, but ${jsonProblem(text)}`);
  return Array.isArray(parsed) ? parsed : [parsed];
}

function toObject(text: string, label: string): object {
  const parsed = parseJson(text);
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  throw new UsageError(`${label} must be a JSON object such as {"name":"value"}`);
}

/** JSON keeps its exact text; any other text becomes a string, unless it looks like JSON with a mistake in it. */
function toValue(text: string, label: string): JsonText {
  if (parseJson(text) !== undefined) return new JsonText(text.trim());
  if (!LIKE_JSON.test(text)) return JsonText.of(text);
  throw new UsageError(
    `${label} begins like JSON, but ${jsonProblem(text)}: mend it, or add --text to write it as text`,
  );
}

const LIKE_JSON = /^\s*[[{]/;

/** Why a text is not JSON, in the parser's words. It quotes the text only up to the mistake. */
function jsonProblem(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    const [reason = ''] = (error as Error).message.split(', "');
    return `is not (${reason.replace(/ in JSON/, '')})`;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Objects, as JSON or in a file: a list, a single object, or an object that contains the list and other fields. Values
 * inside keep their exact text.
 */
async function readDocument({ operation }: Command, { name }: CommandField, text: string): Promise<CommandInput> {
  const json = LIKE_JSON.test(text) ? text : await readText(text);
  const parsed = parseJson(json);
  if (typeof parsed !== 'object' || parsed === null) throw new UsageError(`${name}: this is not JSON with objects`);
  const raw = (operation.raw ?? []).filter(([first]) => first === name);
  const below = (depth: number) => raw.map((path) => path.slice(depth));
  if (Array.isArray(parsed)) attachRaw(json, parsed, below(1));
  else attachRaw(json, parsed, name in parsed ? raw : below(2));
  if (Array.isArray(parsed)) return { [name]: parsed };
  return name in parsed ? (parsed as CommandInput) : { [name]: [parsed] };
}

async function readText(file: string): Promise<string> {
  try {
    return decode(await readFile(file), file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw fileProblem(error, file);
  }
}

async function readAll(stdin: Stdin, { name, word }: { name: string; word: string }): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin) chunks.push(chunk);
  const text = decode(Buffer.concat(chunks), 'standard input').replace(/\r?\n$/, '');
  if (text === '') throw new UsageError(`${name} is missing, and standard input is empty: see mem help ${word}`);
  return text;
}

function decode(bytes: Buffer, from: string): string {
  if (!isUtf8(bytes)) throw new UsageError(`${from} is not valid UTF-8`);
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

import { MalformedText } from './text-edits.ts';

/**
 * A statement of a TOML file with its offsets: enough to add and remove a table without touching anything else, and to
 * locate a syntax error.
 */
export type TomlStatement = {
  kind: 'table' | 'list-table' | 'pair';
  /** For a pair: its table, followed by its own name. */
  path: readonly string[];
  table: readonly string[];
  start: number;
  end: number;
  /** The offset of a pair's value. */
  value: number;
};

export function readToml(text: string): TomlStatement[] {
  const statements: TomlStatement[] = [];
  let table: readonly string[] = [];
  let at = skipLines(text, 0);
  while (at < text.length) {
    const statement = text[at] === '[' ? readHeader(text, at) : readPair(text, at, table);
    if (statement.kind !== 'pair') table = statement.path;
    statements.push(statement);
    at = endLine(text, statement.end);
  }
  return statements;
}

const blanks = (text: string, from: number): number => from + (/^[ \t]*/.exec(text.slice(from))?.[0].length ?? 0);

/** Skips whitespace, line ends and comments. */
function skipLines(text: string, from: number): number {
  let at = from;
  for (;;) {
    if (/[\s\ufeff]/.test(text[at] ?? '')) at++;
    else if (text[at] === '#') at = lineEnd(text, at);
    else return at;
  }
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/** Only a comment may follow a statement on its line. */
function endLine(text: string, from: number): number {
  const at = blanks(text, from);
  if (at < text.length && !/[\r\n#]/.test(text[at] as string))
    throw new MalformedText(text, at, `the line should end here, not go on with ${JSON.stringify(text[at])}`);
  return skipLines(text, at);
}

function readHeader(text: string, start: number): TomlStatement {
  const kind = text.startsWith('[[', start) ? 'list-table' : 'table';
  const close = kind === 'table' ? ']' : ']]';
  const { path, end } = readKey(text, start + close.length);
  if (!text.startsWith(close, end)) throw new MalformedText(text, end, `${JSON.stringify(close)} was expected`);
  return { kind, path, table: path, start, end: end + close.length, value: end };
}

function readPair(text: string, start: number, table: readonly string[]): TomlStatement {
  const { path, end } = readKey(text, start);
  if (text[end] !== '=') throw new MalformedText(text, end, '"=" was expected after the name');
  const value = blanks(text, end + 1);
  return { kind: 'pair', path, table, start, end: readValue(text, value), value };
}

/** Reads a dotted name, and returns the offset after the whitespace that follows. */
function readKey(text: string, from: number): { path: string[]; end: number } {
  const path: string[] = [];
  let at = from;
  for (;;) {
    at = blanks(text, at);
    const [bare] = /^[\w-]+/.exec(text.slice(at, at + 300)) ?? [];
    const end = bare === undefined ? readQuoted(text, at, 'a name was expected') : at + bare.length;
    path.push(bare ?? unquoted(text, at, end));
    at = blanks(text, end);
    if (text[at] !== '.') return { path, end: at };
    at++;
  }
}

function unquoted(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  if (text[start] === "'") return inner;
  try {
    return JSON.parse(`"${inner}"`) as string;
  } catch {
    return inner;
  }
}

/** Reads a single-line string, and returns the offset after it. */
function readQuoted(text: string, start: number, problem: string): number {
  const quote = text[start];
  if (quote !== '"' && quote !== "'") throw new MalformedText(text, start, problem);
  let at = start + 1;
  while (at < text.length && text[at] !== quote && text[at] !== '\n') at += quote === '"' && text[at] === '\\' ? 2 : 1;
  if (text[at] !== quote) throw new MalformedText(text, start, 'this text has no end');
  return at + 1;
}

const SCALAR = /^(?:true|false|[+-]?(?:inf|nan)|[+-]?\d[\w.+:-]*(?: \d\d:\d\d[\w.+:-]*)?)(?=[\s,\]}#]|$)/;

function readValue(text: string, start: number): number {
  const long = ['"""', "'''"].find((quotes) => text.startsWith(quotes, start));
  if (long) return readLong(text, start, long);
  const first = text[start];
  if (first === '"' || first === "'") return readQuoted(text, start, '');
  if (first === '[') return readItems(text, start);
  if (first === '{') return readInline(text, start);
  const [word] = SCALAR.exec(text.slice(start, start + 200)) ?? [];
  if (word === undefined) throw new MalformedText(text, start, 'a value was expected');
  return start + word.length;
}

function readLong(text: string, start: number, quotes: string): number {
  let at = start + 3;
  while (at < text.length && !text.startsWith(quotes, at)) at += quotes === '"""' && text[at] === '\\' ? 2 : 1;
  if (at >= text.length) throw new MalformedText(text, start, 'this text has no end');
  // Up to two more quotes may belong to the string.
  while (text[at + 3] === quotes[0]) at++;
  return at + 3;
}

function readItems(text: string, start: number): number {
  let at = skipLines(text, start + 1);
  while (text[at] !== ']') {
    at = skipLines(text, readValue(text, at));
    if (text[at] === ',') at = skipLines(text, at + 1);
    else if (text[at] !== ']') throw new MalformedText(text, at, '"," or "]" was expected');
  }
  return at + 1;
}

function readInline(text: string, start: number): number {
  let at = skipLines(text, start + 1);
  while (text[at] !== '}') {
    const { end } = readKey(text, at);
    if (text[end] !== '=') throw new MalformedText(text, end, '"=" was expected after the name');
    at = skipLines(text, readValue(text, blanks(text, end + 1)));
    if (text[at] === ',') at = skipLines(text, at + 1);
    else if (text[at] !== '}') throw new MalformedText(text, at, '"," or "}" was expected');
  }
  return at + 1;
}

import { applyEdits, lineEndOf, MalformedText, type TextEdit } from './text-edits.ts';
import { readToml, type TomlStatement } from './toml.ts';

export type TomlValue = string | readonly string[] | Readonly<Record<string, string>>;
export type TomlTable = Readonly<Record<string, TomlValue>>;

const quoted = (text: string) => JSON.stringify(text);
const tomlKey = (name: string) => (/^[\w-]+$/.test(name) ? name : quoted(name));

export function tomlValue(value: TomlValue): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(quoted).join(', ')}]`;
  const pairs = Object.entries(value as Record<string, string>);
  return `{ ${pairs.map(([name, text]) => `${tomlKey(name)} = ${quoted(text)}`).join(', ')} }`;
}

const same = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((one, at) => one === b[at]);
const begins = (path: readonly string[], start: readonly string[]) => same(path.slice(0, start.length), start);

/** The pairs of a table by name, each with the text of its value; undefined if there is no such table. */
export function tomlTable(text: string, path: readonly string[]): Map<string, string> | undefined {
  const statements = readToml(text);
  refuseOtherForms(text, statements, path);
  if (!statements.some(({ kind, path: own }) => kind === 'table' && begins(own, path))) return undefined;
  const pairs = statements.filter(({ kind, table }) => kind === 'pair' && begins(table, path));
  return new Map(
    pairs.map(({ table, path: own, value, end }) => [
      [...table, ...own].slice(path.length).join('.'),
      text.slice(value, end),
    ]),
  );
}

/** Refuses inline and dotted forms of a table, which cannot be extended elsewhere. */
function refuseOtherForms(text: string, statements: readonly TomlStatement[], path: readonly string[]): void {
  for (const { kind, table, path: own, start } of statements) {
    const whole = kind === 'pair' ? [...table, ...own] : own;
    const inTheWay = kind === 'pair' && !begins(table, path) && (begins(path, whole) || begins(whole, path));
    if (inTheWay || (kind === 'list-table' && begins(path, whole)))
      throw new MalformedText(text, start, `write ${path.join('.')} as a table [${path.join('.')}] first`);
  }
}

/** Rewrites a table where it is, or appends it to the file. */
export function setTomlTable(text: string, path: readonly string[], table: TomlTable): string {
  const eol = lineEndOf(text);
  const lines = Object.entries(table).map(([name, value]) => `${tomlKey(name)} = ${tomlValue(value)}`);
  const block = [`[${path.map(tomlKey).join('.')}]`, ...lines].join(eol) + eol;
  if (!tomlTable(text, path)) {
    const gap = text.trim() === '' ? '' : `${text.endsWith('\n') ? '' : eol}${eol}`;
    return `${text}${gap}${block}`;
  }
  const [first, ...others] = rangesOf(text, path);
  return applyEdits(text, [{ ...(first as TextEdit), text: block }, ...others]);
}

/** Removes a table and its subtables. */
export function removeTomlTable(text: string, path: readonly string[]): string {
  return applyEdits(
    text,
    rangesOf(text, path).map((range) => {
      // Removes the empty line that was inserted before it.
      const before = text.slice(0, range.start);
      const gap = /(?:^|\n)(\r?\n)$/.exec(before)?.[1] ?? '';
      return { ...range, start: range.start - gap.length };
    }),
  );
}

/** From each header to the end of its last pair, so that comments before the next header stay. */
function rangesOf(text: string, path: readonly string[]): TextEdit[] {
  const statements = readToml(text);
  return statements.flatMap((header, at) => {
    if (header.kind !== 'table' || !begins(header.path, path)) return [];
    const next = statements.findIndex(({ kind }, i) => i > at && kind !== 'pair');
    const last = statements[(next < 0 ? statements.length : next) - 1] as TomlStatement;
    const end = text.indexOf('\n', last.end);
    return [{ start: header.start, end: end < 0 ? text.length : end + 1, text: '' }];
  });
}

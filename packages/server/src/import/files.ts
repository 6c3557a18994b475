import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { jsonDepth, parseExact } from '@mem-service/contract';
import { loadDriver } from '../db/sqlite-connection.ts';
import { splitLines } from '../text-lines.ts';
import { ForeignError } from './foreign.ts';
import { isJsonObject } from './json-objects.ts';

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path)).isDirectory();
}

/** The file itself, or the files in a folder with these endings, sorted by name. Hidden ones are skipped. */
export async function filesAt(path: string, endings: readonly string[]): Promise<string[]> {
  if (!(await isFolder(path))) return [path];
  const { inside } = await filesBelow(path, await realpath(path));
  return inside.filter((file) => endings.some((ending) => file.toLowerCase().endsWith(ending))).sort();
}

/** The links in a folder that lead out of it, or nowhere: what they point to is not a part of the folder. */
export async function linksOutOf(path: string): Promise<string[]> {
  return (await isFolder(path)) ? (await filesBelow(path, await realpath(path))).outside.sort() : [];
}

type FolderFiles = { inside: string[]; outside: string[] };

async function filesBelow(folder: string, base: string): Promise<FolderFiles> {
  const found: FolderFiles = { inside: [], outside: [] };
  for (const item of await readdir(folder, { withFileTypes: true })) {
    const below = join(folder, item.name);
    if (item.name.startsWith('.') || item.name === 'node_modules') continue;
    if (item.isDirectory()) {
      const { inside, outside } = await filesBelow(below, base);
      for (const file of inside) found.inside.push(file);
      for (const file of outside) found.outside.push(file);
    } else if (!item.isSymbolicLink()) found.inside.push(below);
    else if (!(await leadsInto(base, below))) found.outside.push(below);
    else if (!(await isFolder(below))) found.inside.push(below);
  }
  return found;
}

async function leadsInto(base: string, link: string): Promise<boolean> {
  const target = await realpath(link).catch(() => undefined);
  return target?.startsWith(base.endsWith(sep) ? base : `${base}${sep}`) ?? false;
}

/** A document is parsed as a whole; twice as much no longer fits in a string. */
const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024;

/** Its text would be stored with characters replaced. */
export class NotUtf8Error extends ForeignError {}

export async function readText(file: string): Promise<string> {
  const { size } = await stat(file);
  if (size > MAX_DOCUMENT_BYTES)
    throw new ForeignError(
      `${file} has ${size} bytes, and a document of at most ${MAX_DOCUMENT_BYTES} can be read: split it and import the parts one after the other`,
    );
  const bytes = await readFile(file);
  if (!isUtf8(bytes)) throw new NotUtf8Error(`${file} is not UTF-8`);
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

/** Deeper than any value that can be stored, and within what the stack allows. */
const MAX_DEPTH = 500;

/** Numbers keep their digits. */
function parseForeign(text: string): unknown {
  if (jsonDepth(text) > MAX_DEPTH) throw new SyntaxError(`it is nested deeper than ${MAX_DEPTH} levels`);
  return parseExact(text);
}

export async function readJson(file: string): Promise<unknown> {
  try {
    return parseForeign(await readText(file));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ForeignError(`${file} is not JSON: ${error.message}`);
  }
}

export type JsonLine = { no: number; item: unknown };

/** A file of JSON Lines is read line by line, and any other as a whole. */
export async function openJson(file: string): Promise<{ whole: unknown } | { lines: AsyncIterable<JsonLine> }> {
  const lines = filledLines(file);
  const [first, second] = [(await lines.next()).value, (await lines.next()).value];
  if (first === undefined) return { whole: undefined };
  const isLines = second !== undefined && isJsonObject(parsed(first.text));
  if (isLines) return { lines: itemsOf(file, [first, second], lines) };
  await lines.return(undefined);
  return { whole: await readJson(file) };
}

type FilledLine = { no: number; text: string };

async function* filledLines(file: string): AsyncGenerator<FilledLine, undefined> {
  let no = 0;
  try {
    for await (const line of splitLines(createReadStream(file), MAX_DOCUMENT_BYTES)) {
      no++;
      const text = no === 1 ? line.replace(/^\ufeff/, '') : line;
      if (text.trim() !== '') yield { no, text };
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
    throw new ForeignError(`${file}: ${(error as Error).message}`);
  }
  return undefined;
}

async function* itemsOf(
  file: string,
  head: readonly FilledLine[],
  rest: AsyncIterable<FilledLine>,
): AsyncGenerator<JsonLine> {
  const read = ({ no, text }: FilledLine): JsonLine => {
    const item = parsed(text);
    if (!isJsonObject(item)) throw new ForeignError(`${file}: line ${no} is not a JSON object`);
    return { no, item };
  };
  for (const line of head) yield read(line);
  for await (const line of rest) yield read(line);
}

function parsed(text: string): unknown {
  try {
    return parseForeign(text);
  } catch {
    return undefined;
  }
}

const MAGIC = 'SQLite format 3\0';

export async function isSqlite(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
    return buffer.toString('latin1', 0, bytesRead) === MAGIC;
  } finally {
    await handle.close();
  }
}

/** A folder or a database: neither can be an export. */
export const isNoText = async (path: string): Promise<boolean> => (await isFolder(path)) || (await isSqlite(path));

export type SourceRow = Record<string, unknown>;
/** The rows of a table, or none if the table does not exist. */
export type ReadTable = (name: string) => SourceRow[];

/** Opens a database read-only for the call. */
export async function withTables<T>(
  file: string,
  use: (tables: ReadTable, names: ReadonlySet<string>) => T,
): Promise<T> {
  const { DatabaseSync } = await loadDriver();
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all();
    const names = new Set(tables.map(({ name }) => String(name)));
    const readTable = (name: string) =>
      names.has(name) ? (database.prepare(`SELECT * FROM "${name}" ORDER BY rowid`).all() as SourceRow[]) : [];
    return use(readTable, names);
  } finally {
    database.close();
  }
}

/** The path segments of a file, relative to `base`. */
export const partsBelow = (base: string, file: string): string[] => relative(base, file).split(/[\\/]/);

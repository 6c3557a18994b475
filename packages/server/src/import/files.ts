import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { loadDriver } from '../db/sqlite-connection.ts';
import { ForeignError } from './foreign.ts';

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path)).isDirectory();
}

/** The file itself, or the files in a folder with these endings, sorted by name. Hidden ones are skipped. */
export async function filesAt(path: string, endings: readonly string[]): Promise<string[]> {
  if (!(await isFolder(path))) return [path];
  const found: string[] = [];
  for (const item of await readdir(path, { withFileTypes: true })) {
    const below = join(path, item.name);
    if (item.name.startsWith('.') || item.name === 'node_modules') continue;
    if (item.isDirectory()) found.push(...(await filesAt(below, endings)));
    else if (endings.some((ending) => item.name.toLowerCase().endsWith(ending))) found.push(below);
  }
  return found.sort();
}

export async function readText(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).replace(/^\ufeff/, '');
}

export async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readText(file));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ForeignError(`${file} is not JSON: ${error.message}`);
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

export type SourceRow = Record<string, unknown>;
/** The rows of a table, or none if the table does not exist. */
export type ReadTable = (name: string) => SourceRow[];

/** Opens a database read-only for the call. */
export async function withTables<T>(file: string, use: (tables: ReadTable) => T): Promise<T> {
  const { DatabaseSync } = await loadDriver();
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return use((name) => {
      const known = database.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`).get(name);
      return known ? (database.prepare(`SELECT * FROM "${name}" ORDER BY rowid`).all() as SourceRow[]) : [];
    });
  } finally {
    database.close();
  }
}

/** The path segments of a file, relative to `base`. */
export const partsBelow = (base: string, file: string): string[] => relative(base, file).split(/[\\/]/);

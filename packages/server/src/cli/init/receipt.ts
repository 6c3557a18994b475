import { dirname, join } from 'node:path';
import { readText, removeFile, replaceFile } from './files.ts';

/** What was done to a file, so that it can be undone. */
export type FileReceipt = {
  /** Clients that read it; several may share a file. */
  clients: string[];
  /** Hash of the file before; null if it did not exist, undefined if it already had an entry of ours. */
  before?: string | null;
  after: string;
  backup: string | null;
  /** Objects and lists that were created for our entry. */
  made: string[][];
  /** The topmost folder that was created for the file. */
  made_folder?: string;
};

export type FileReceipts = Record<string, FileReceipt>;

const fileOf = (home: string) => join(home, '.mem', 'init.json');

export function readReceipts(home: string): FileReceipts {
  try {
    const { files } = JSON.parse(readText(fileOf(home)) ?? '{}') as { files?: FileReceipts };
    return files ?? {};
  } catch {
    // Without receipts, entries are recognised by their content.
    return {};
  }
}

export function writeReceipts(home: string, files: FileReceipts): void {
  const file = fileOf(home);
  if (Object.keys(files).length === 0) removeFile(file, dirname(file));
  else replaceFile(file, `${JSON.stringify({ files }, null, 2)}\n`, 0o600);
}

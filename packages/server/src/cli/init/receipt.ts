import { dirname, join } from 'node:path';
import { readText, removeFile, replaceFile } from './files.ts';

/** What was done to a file, so that it can be undone. */
export type FileReceipt = {
  /** Clients that read it: one file may serve several. */
  clients: string[];
  /** Hash of the file before; null where there was none, undefined where it had something of ours already. */
  before?: string | null;
  after: string;
  backup: string | null;
  /** Objects and lists that were made to put ours into. */
  made: string[][];
  /** The uppermost folder that was made for the file. */
  made_folder?: string;
};

export type FileReceipts = Record<string, FileReceipt>;

const fileOf = (home: string) => join(home, '.mem', 'init.json');

export function readReceipts(home: string): FileReceipts {
  try {
    const { files } = JSON.parse(readText(fileOf(home)) ?? '{}') as { files?: FileReceipts };
    return files ?? {};
  } catch {
    // Without it, what looks like ours is taken out.
    return {};
  }
}

export function writeReceipts(home: string, files: FileReceipts): void {
  const file = fileOf(home);
  if (Object.keys(files).length === 0) removeFile(file, dirname(file));
  else replaceFile(file, `${JSON.stringify({ files }, null, 2)}\n`, 0o600);
}

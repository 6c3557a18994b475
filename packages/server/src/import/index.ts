import { readBasicMemory } from './basic-memory.ts';
import { readClaudeMem } from './claude-mem.ts';
import { type PreparedImport, prepareImport } from './duplicates.ts';
import { linksOutOf } from './files.ts';
import { ForeignError, type ForeignReader } from './foreign.ts';
import { readLetta } from './letta.ts';
import { readMem0 } from './mem0.ts';
import { readServerMemory } from './server-memory.ts';
import type { System } from './systems.ts';
import { readZep } from './zep.ts';

export type { PreparedImport, SimilarEntry } from './duplicates.ts';
export { isNoText } from './files.ts';
export { recogniseSystems } from './recognise.ts';
export { systems } from './systems.ts';
export { ForeignError };

const readers: Record<System, ForeignReader> = {
  mem0: readMem0,
  'server-memory': readServerMemory,
  'basic-memory': readBasicMemory,
  'claude-mem': readClaudeMem,
  letta: readLetta,
  zep: readZep,
};

/** Reads the files of another system into entries ready to be written. */
export async function readForeign(
  system: System,
  { path, into }: { path: string; into: string },
): Promise<PreparedImport> {
  const found = await readers[system](path, into);
  if (found.entries.length + found.links.length === 0) throw new ForeignError(`${path} holds nothing of ${system}`);
  for (const link of await linksOutOf(path)) found.notes.push(`${link} is a link out of the folder: left out`);
  return prepareImport(found);
}

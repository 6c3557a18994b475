import type { System } from '../../import/systems.ts';
import { fileProblem, UsageError } from '../failure.ts';
import { clean } from '../render/text.ts';
import type { Terminal } from '../terminal.ts';
import { linesOf } from './lines.ts';

/**
 * The system that wrote the file, found by what it holds, and said; undefined for an export, and for what no reader
 * knows.
 */
export async function recogniseSystem(path: string, { stdin, err }: Terminal): Promise<System | undefined> {
  if (path === '-') return undefined;
  const { isNoText, recogniseSystems, systems } = await import('../../import/index.ts');
  const found = await recogniseSystems(path).catch((error: Error) => {
    throw fileProblem(error, path);
  });
  const [system, other] = found;
  if (system === undefined && (await isNoText(path)))
    throw new UsageError(`${path} holds nothing of ${systems.join(', ')}: give --from if it does`);
  if (system === undefined || (await isExport(path, stdin))) return undefined;
  if (other !== undefined)
    throw new UsageError(`${path} may be of ${found.join(' or ')}: give --from with one of ${systems.join(', ')}`);
  err(`${clean(path)}: recognised as the memory of ${system}, as with --from ${system}\n`);
  return system;
}

async function isExport(path: string, stdin: Terminal['stdin']): Promise<boolean> {
  try {
    for await (const line of linesOf(path, stdin))
      return (JSON.parse(line) as { record?: unknown } | null)?.record === 'header';
  } catch {}
  return false;
}

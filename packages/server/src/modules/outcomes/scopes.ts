import { type Caller, missing, reaches } from '../../kernel/index.ts';
import type { Causes } from './causes.ts';

/** An outcome changes how its causes stand, those that were named and those that the session read. */
export function checkWritable({ key }: Caller, { attempts, causes }: Causes): void {
  const all = [...attempts.flatMap((attempt) => attempt.causes), ...causes];
  const refused = all.find(({ entity_path }) => !reaches(key?.write, entity_path));
  if (refused) throw missing('WRITE', { kind: 'exact', path: refused.entity_path });
}

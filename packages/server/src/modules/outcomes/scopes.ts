import { type Caller, isInScope, missingScope } from '../../kernel/index.ts';
import type { OutcomeCauses } from './causes.ts';

/** An outcome changes the standing of its causes, both those named and those that the session read. */
export function checkCausesWritable({ key }: Caller, { attempts, causes }: OutcomeCauses): void {
  const all = [...attempts.flatMap((attempt) => attempt.causes), ...causes];
  const refused = all.find(({ entity_path }) => !isInScope(key?.write, entity_path));
  if (refused) throw missingScope('WRITE', { kind: 'exact', path: refused.entity_path });
}

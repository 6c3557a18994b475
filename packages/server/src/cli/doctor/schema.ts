import type { StoreReport } from '../../inspect.ts';
import { type Check, failure, ok, warning } from './check.ts';

type Schema = Pick<StoreReport, 'schema' | 'pending' | 'refusal' | 'absent_modules'>;

export function checkSchema({ schema, pending, refusal, absent_modules }: Schema): Check {
  if (refusal)
    return failure('schema', refusal.found, refusal.isNewer ? 'install a newer version of mem' : 'restore a backup');
  if (pending > 0)
    return warning(
      'schema',
      `${schema} of ${schema + pending}`,
      'back the store up: the next command brings it up to date',
    );
  if (absent_modules.length > 0)
    return warning(
      'schema',
      `${schema}, with tables of modules that are not installed: ${absent_modules.join(', ')}`,
      'install them, or drop their tables: until then nothing can be erased or exported',
    );
  return ok('schema', `${schema}, up to date`);
}

import type { StoreReport } from '../../inspect.ts';
import { type Check, failure, ok, warning } from './check.ts';

type Schema = Pick<StoreReport, 'schema' | 'pending' | 'refusal'>;

export function checkSchema({ schema, pending, refusal }: Schema): Check {
  if (refusal)
    return failure('schema', refusal.found, refusal.isNewer ? 'install a newer version of mem' : 'restore a backup');
  if (pending > 0)
    return warning(
      'schema',
      `${schema} of ${schema + pending}`,
      'back the store up: the next command brings it up to date',
    );
  return ok('schema', `${schema}, up to date`);
}

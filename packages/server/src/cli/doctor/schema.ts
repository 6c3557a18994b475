import { type Check, failure, ok, warning } from './check.ts';

export function checkSchema(schema: number, newest: number): Check {
  if (schema > newest)
    return failure('schema', `${schema}, but this program knows ${newest}`, 'install a newer version of mem');
  if (schema < newest)
    return warning('schema', `${schema} of ${newest}`, 'back the store up: the next command brings it up to date');
  return ok('schema', `${schema}, up to date`);
}

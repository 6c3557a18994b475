import { suggest } from '@mem-service/contract';

const PREFIX = 'MEM_';

/** What to say of a variable that nothing reads: which one was meant, if one is near. */
export const unknownVariable = (name: string, known: readonly string[]): string =>
  `${name} is not a variable that mem knows${meant(name, known)}`;

/** Words that were left out come first: MEM_PORT is nearer to MEM_PRO by letters, but means MEM_HTTP_PORT. */
function meant(name: string, known: readonly string[]): string {
  const ending = `_${name.slice(PREFIX.length)}`;
  const longer = known.find((one) => one.endsWith(ending));
  return longer ? `. Did you mean ${longer}?` : suggest(name, known);
}

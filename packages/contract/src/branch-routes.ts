import type { Operation } from './operation.ts';
import { operations } from './operations/index.ts';

const BRANCH = /^\/api\/v1\/branches\/\{\w+\}\//;
const PARAMETER = /^\{.*\}$/;

/** What follows the name of a branch in the routes, segment by segment. */
const endings: readonly (readonly string[])[] = Object.values<Operation>(operations)
  .flatMap(({ http }) => [http, ...(http.aliases ?? [])])
  .flatMap(({ path }) => (BRANCH.test(path) ? [path.replace(BRANCH, '').split('/')] : []));

/** Why an address with this name in it would mean something of another branch, or undefined. */
export function branchRouteProblem(name: string): string | undefined {
  const segments = name.split('/');
  const ending = endings.find((words) => {
    const last = segments.slice(-words.length);
    return segments.length > words.length && words.every((word, i) => PARAMETER.test(word) || word === last[i]);
  });
  return (
    ending &&
    `must not end in /${segments.slice(-ending.length).join('/')}, which addresses have after the name of a branch`
  );
}

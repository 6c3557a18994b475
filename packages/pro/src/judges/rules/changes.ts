export type DocumentChange = { path: string; before?: unknown; after?: unknown };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Where two documents differ, member by member, in the order of their members. */
export function changesBetween(before: unknown, after: unknown, path = ''): DocumentChange[] {
  if (before === after) return [];
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after)) {
    const was = before === undefined ? {} : { before };
    const is = after === undefined ? {} : { after };
    return [{ path, ...was, ...is }];
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => changesBetween(before[name], after[name], path === '' ? name : `${path}.${name}`));
}

/**
 * Returns those of the used names that lead to one of these paths: the path itself, paths below it, and globs that cover
 * it.
 */
export function namesOver(names: readonly string[], paths: readonly string[]): string[] {
  const erased = new Set(paths);
  const above = new Set(paths.flatMap(prefixesOf));
  return names.filter((name) => {
    const glob = /^(.*)\/\*\*?$/.exec(name);
    return (glob && above.has(glob[1] as string)) || prefixesOf(name).some((prefix) => erased.has(prefix));
  });
}

/** `a`, `a/b`, `a/b/c`. */
function prefixesOf(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

/** Used names by the paths that they begin with, and globs by what is before their stars. */
export type UsedNames = { below: Map<string, string[]>; globs: Map<string, string[]> };

const NAMES_PER_STEP = 256;

/** Sorts used names, with a yield after some of them. */
export function* sortNamesInSteps(names: readonly string[]): Generator<void, UsedNames> {
  const used: UsedNames = { below: new Map(), globs: new Map() };
  for (const [i, name] of names.entries()) {
    if (i % NAMES_PER_STEP === NAMES_PER_STEP - 1) yield;
    const glob = /^(.*)\/\*\*?$/.exec(name);
    if (glob) add(used.globs, glob[1] as string, name);
    for (const prefix of prefixesOf(name)) add(used.below, prefix, name);
  }
  return used;
}

function add(names: Map<string, string[]>, at: string, name: string): void {
  const known = names.get(at);
  if (known) known.push(name);
  else names.set(at, [name]);
}

/**
 * Returns those of the used names that lead to one of these paths: the path itself, paths below it, and globs that cover
 * it.
 */
export function namesOver({ below, globs }: UsedNames, paths: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of new Set(paths)) {
    for (const name of below.get(path) ?? []) found.add(name);
    for (const prefix of prefixesOf(path)) for (const name of globs.get(prefix) ?? []) found.add(name);
  }
  return [...found];
}

/** `a`, `a/b`, `a/b/c`. */
function prefixesOf(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

import type { Manifest } from './types.ts';
import { ownerOf } from './variables.ts';

/** What is wrong with a connector where these others are. */
export function problemsAmong(
  { name, env_vars }: Manifest,
  builtIn: { has(name: string): boolean },
  names: readonly string[],
): string[] {
  if (builtIn.has(name)) return [`${name} is the name of a built-in connector`];
  return env_vars.flatMap((variable) => {
    const owner = ownerOf(variable.name, name, names);
    return owner === undefined ? [] : [`${variable.name} is a variable of the connector ${owner}`];
  });
}

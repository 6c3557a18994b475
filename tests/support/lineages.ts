import type { Lineage, Module } from '../../packages/server/src/kernel/index.ts';

/** Branches that a test names, and a module that knows them as a module with branches would. */
export function namedBranches(): { lineages: Map<string, Lineage>; branches: Module } {
  const lineages = new Map<string, Lineage>();
  const hooks = () => ({ lineage: (branch: string) => lineages.get(branch) });
  return { lineages, branches: { name: 'lineages', migrations: [], handlers: {}, hooks } };
}

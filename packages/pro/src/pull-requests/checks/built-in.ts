/** The checks that the service runs. */
export type BuiltInCheck = 'contracts' | 'secrets' | 'size' | 'conflicts' | 'memory_ci';

export const BUILT_IN: ReadonlySet<string> = new Set<BuiltInCheck>([
  'contracts',
  'secrets',
  'size',
  'conflicts',
  'memory_ci',
]);

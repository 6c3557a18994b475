import type { BuildOptions } from 'esbuild';

/** How a program of the tests is bundled: our packages as their sources are, for the oldest Node that is supported. */
export const BUNDLE_OPTIONS: BuildOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  conditions: ['source'],
};

import type { Probe } from '../../data/installed.ts';

/** Whether questions can be asked: of the steps that answer them, the one that costs nothing, for a time with no runs. */
export const INVESTIGATIONS = {
  name: 'segments.list',
  input: { since: '2999-01-01' },
  besides: 'investigations',
} as const satisfies Probe;

import { operations } from '@mem-service/contract';
import { expect, it } from 'vitest';
import { PROBE_MODULES } from './probe-modules.ts';

it('knows the module of each probe', () => {
  const names = Object.keys(PROBE_MODULES) as (keyof typeof PROBE_MODULES)[];
  expect(Object.fromEntries(names.map((name) => [name, operations[name].module]))).toEqual(PROBE_MODULES);
});

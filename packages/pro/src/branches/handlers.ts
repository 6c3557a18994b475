import type { Handlers } from '@mem-service/server/module';
import { changes } from './changes.ts';
import { create } from './create.ts';
import { list, read } from './reads.ts';

export const handlers: Handlers = {
  'branches.create': create,
  'branches.list': list,
  'branches.read': read,
  ...changes,
};

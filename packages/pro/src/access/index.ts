import type { Module } from '@mem-service/server/module';
import { handlers } from './handlers.ts';
import { createHooks } from './hooks.ts';
import { migrations } from './migrations.ts';
import { tables } from './tables.ts';

/** Which keys may use which branch. */
export const branchAccess: Module = { name: 'access', migrations, tables, handlers, hooks: createHooks };

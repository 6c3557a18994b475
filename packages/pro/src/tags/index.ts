import type { Module } from '@mem-service/server/module';
import { handlers } from './handlers.ts';
import { createHooks } from './hooks.ts';
import { migrations } from './migrations.ts';
import { tables } from './tables.ts';

export const tags: Module = { name: 'tags', migrations, tables, handlers, hooks: createHooks };

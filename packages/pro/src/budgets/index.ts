import type { Module } from '@mem-service/server/module';
import { handlers } from './handlers.ts';
import { migrations } from './migrations.ts';
import { tables } from './tables.ts';

/** What an account may spend on language models. */
export const budgets: Module = { name: 'budgets', migrations, tables, handlers };

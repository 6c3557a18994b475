import type { Module } from '../../kernel/index.ts';
import { erasesEntries } from './erase.ts';
import { handlers } from './handlers.ts';
import { migrations } from './migrations.ts';
import { tables } from './tables.ts';

export { commitMerge } from './merge.ts';

export const commits: Module = { name: 'commits', migrations, tables, erasesEntries, handlers };

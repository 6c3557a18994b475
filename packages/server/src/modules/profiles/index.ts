import type { Module } from '../../kernel/index.ts';
import { tables } from './tables.ts';

export * from './queries.ts';

/** What was declared about agents. Its operations belong to the module `agents`. */
export const profiles: Module = { name: 'profiles', migrations: [], tables, handlers: {} };

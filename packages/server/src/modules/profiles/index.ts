import type { Module } from '../../kernel/index.ts';
import { tables } from './tables.ts';

export * from './queries.ts';

/** What is declared of agents. Operations on it are those of the module `agents`. */
export const profiles: Module = { name: 'profiles', migrations: [], tables, handlers: {} };

import type { Module } from '../../kernel/index.ts';
import { handlers } from './handlers.ts';

export const search: Module = { name: 'search', migrations: [], handlers };

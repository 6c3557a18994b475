import type { Module } from '../../kernel/index.ts';
import { handlers } from './handlers.ts';

export const log: Module = { name: 'log', migrations: [], handlers };

import type { Module } from '../../kernel/index.ts';
import { handlers } from './handlers.ts';

export { listLog, streamLog } from './handlers.ts';
export { detailsOf } from './rules.ts';
export const log: Module = { name: 'log', migrations: [], handlers };

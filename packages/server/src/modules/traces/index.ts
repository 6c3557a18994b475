import type { Module } from '../../kernel/index.ts';
import { migrations } from './migrations.ts';

export const traces: Module = { name: 'traces', migrations, handlers: {} };

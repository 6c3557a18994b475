import type { Module } from '../../kernel/index.ts';
import { migrations } from './migrations.ts';

export const graph: Module = { name: 'graph', migrations, handlers: {} };

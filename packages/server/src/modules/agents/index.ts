import type { Module } from '../../kernel/index.ts';
import { migrations } from './migrations.ts';

export const agents: Module = { name: 'agents', migrations, handlers: {} };

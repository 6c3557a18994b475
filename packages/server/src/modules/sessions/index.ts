import type { Module } from '../../kernel/index.ts';
import { migrations } from './migrations.ts';

export const sessions: Module = { name: 'sessions', migrations, handlers: {} };

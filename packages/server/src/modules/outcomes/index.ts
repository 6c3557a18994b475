import type { Module } from '../../kernel/index.ts';
import { migrations } from './migrations.ts';

export const outcomes: Module = { name: 'outcomes', migrations, handlers: {} };

import type { Module } from '../../kernel/index.ts';
import { handlers } from './handlers.ts';
import { migrations } from './migrations.ts';

export const accounts: Module = { name: 'accounts', migrations, handlers };

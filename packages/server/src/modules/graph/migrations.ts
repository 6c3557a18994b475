import type { Migration } from '../../db/index.ts';

export const migrations: readonly Migration[] = [];

import type { Module } from '@mem-service/server/module';
import { handlers } from './handlers.ts';
import { createHooks } from './hooks.ts';
import { migrations } from './migrations.ts';
import { tables } from './tables.ts';

export { type BranchRow, type BranchStatus, getBranch } from './queries.ts';
export { findRef, lineageOf, noBranch, type RefSource, type ResolvedRef, resolveRef, stateAt } from './resolve.ts';
export { parseRef, type Ref } from './rules/refs.ts';

/** Lines of memory of their own that begin as the memory of their parent. */
export const branches: Module = { name: 'branches', migrations, tables, handlers, hooks: createHooks };

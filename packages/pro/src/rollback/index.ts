import type { Module } from '@mem-service/server/module';
import { runFork } from './fork.ts';
import { runRollback } from './handlers.ts';

/** Earlier states, written again; and the memory of an agent, copied to another. */
export const rollback: Module = {
  name: 'rollback',
  migrations: [],
  handlers: { 'rollback.run': runRollback, 'fork.run': runFork },
};

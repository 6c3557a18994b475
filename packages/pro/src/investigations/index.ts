import type { Module } from '@mem-service/server/module';
import { handlers } from './run.ts';

/** Questions about the sessions of an agent, answered with evidence. */
export const investigations: Module = { name: 'investigations', migrations: [], handlers };

import type { Module } from '../../kernel/index.ts';
import { erasesAgent, erasesEntries } from './erase.ts';
import { compileDue } from './follow-log.ts';
import { handlers } from './handlers.ts';
import { migrations } from './migrations.ts';
import { tables } from './tables.ts';

export type { DigestFilter } from './queries.ts';
export { type DigestAnswer, type DigestContext, type DigestPage, listDigests, readDigests } from './read-digests.ts';
export type { DigestKey } from './rows.ts';
export type { DigestType } from './rules/cited.ts';

/** Compiles what is known of paths, agents and sources into digests. */
export const cortex: Module = {
  name: 'cortex',
  migrations,
  tables,
  erasesEntries,
  erasesAgent,
  handlers,
  consumers: [compileDue],
};

/** Nothing is compiled; the worker goes on from its cursor when it is there again. */
export const withoutWorker = (modules: readonly Module[]): Module[] =>
  modules.map((module) => (module.name === cortex.name ? { ...module, consumers: [] } : module));

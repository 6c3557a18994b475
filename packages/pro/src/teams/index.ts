import type { Module } from '@mem-service/server/module';
import { memberHandlers } from './member-handlers.ts';
import { migrations } from './migrations.ts';
import { getMember } from './queries.ts';
import { tables } from './tables.ts';
import { teamHandlers } from './team-handlers.ts';

export { findPerson, findTeam, getMember } from './queries.ts';

/** The people behind the keys of an account. */
export const teams: Module = {
  name: 'teams',
  migrations,
  tables,
  handlers: { ...teamHandlers, ...memberHandlers },
  findMember: getMember,
};

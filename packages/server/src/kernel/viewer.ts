import { type Sql, sql } from '../db/index.ts';
import type { Scope } from './scope.ts';

/** Whose eyes a statement sees with. `scope`: the paths it may read, where not all of them. */
export type Viewer = { account_id: string; agent_id: string; scope: Scope | undefined };

/** A condition on rows that are for all, or for one agent alone. */
export const visibleTo = (agentId: string): Sql => sql`(visible_to = '' OR visible_to = ${agentId})`;

import { type Sql, sql } from '../db/index.ts';
import type { Scope } from './scope.ts';

/** The agent that a statement reads for. `scope` is undefined when its key may read every path. */
export type Viewer = { account_id: string; agent_id: string; scope: Scope | undefined };

/** A condition on rows that everyone or this agent may see. */
export const visibleTo = (agentId: string): Sql => sql`(visible_to = '' OR visible_to = ${agentId})`;

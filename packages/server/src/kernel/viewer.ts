import { type Sql, sql } from '../db/index.ts';
import type { Reach } from './reach.ts';

/** Whose eyes a statement sees with. `reach`: where it may read, if not everywhere. */
export type Viewer = { account_id: string; agent_id: string; reach?: Reach | undefined };

/** A condition on rows that are for all, or for one agent alone. */
export const visible = (agentId: string): Sql => sql`(visible_to = '' OR visible_to = ${agentId})`;

import type { WriteItem } from '../../kernel/index.ts';
import { authorOf } from '../entries/index.ts';

export type OutcomeItems = readonly WriteItem<'outcomes.commit'>[];

/**
 * Returns the first items that belong to different sessions, which can be decided before any of them is written. A later
 * outcome of a session depends on what the earlier one leaves there.
 */
export function ofDifferentSessions(items: OutcomeItems): OutcomeItems {
  const sessions = new Set<string>();
  const end = items.findIndex(({ input, caller }) => {
    const { agent_id, session } = authorOf(input, caller);
    const isKnown = sessions.has(`${agent_id}\n${session}`);
    sessions.add(`${agent_id}\n${session}`);
    return isKnown;
  });
  return end === -1 ? items : items.slice(0, end);
}

import { toIso } from '../../kernel/index.ts';
import type { BriefingAnswer } from './handlers.ts';
import type { NotableEntry } from './known-entries.ts';

const SHOWN = 3;
const KEYS = 3;

/** Authors of what outcomes support here, those with the most evidence first. */
export function whoToAsk(supported: readonly NotableEntry[], asking: string): BriefingAnswer['who_to_ask'] {
  const byAuthor = new Map<string, NotableEntry[]>();
  for (const entry of supported)
    if (entry.agent_id !== asking) byAuthor.set(entry.agent_id, [...(byAuthor.get(entry.agent_id) ?? []), entry]);
  return [...byAuthor]
    .map(([agent_id, entries]) => {
      const successes = entries.reduce((sum, { standing_now }) => sum + standing_now.success_count, 0);
      const last = Math.max(
        ...entries.map(({ written_at, standing_now }) => standing_now.last_outcome_at ?? written_at),
      );
      return {
        agent_id,
        reason: `wrote ${entries.length} of what outcomes support here, in ${successes} ${successes === 1 ? 'success' : 'successes'}`,
        validated: entries.length,
        successes,
        last_at: toIso(last),
        top_keys: entries.slice(0, KEYS).map(({ entity_path, key }) => ({ entity_path, key })),
      };
    })
    .sort((a, b) => b.successes - a.successes || b.validated - a.validated || (a.agent_id < b.agent_id ? -1 : 1))
    .slice(0, SHOWN);
}

/** One try: an outcome, or an attempt within its session. */
export type Try = {
  action: string;
  success: boolean;
  outcome_type: string;
  agent_id: string;
  at: number;
  outcome_ref: string;
  note: string | null;
};

export type TriedAction = {
  action: string;
  won: number;
  n: number;
  p: number;
  agents: string[];
  last_3: string[];
  last_at: number;
  outcome_ref: string;
  note: string | null;
};

const MAX_AGENTS = 5;

/** Tries by what was done, the newest action first. `tries` are newest first. */
export function groupTries(tries: readonly Try[]): TriedAction[] {
  const groups = new Map<string, Try[]>();
  for (const one of tries) groups.set(one.action, [...(groups.get(one.action) ?? []), one]);
  return [...groups].map(([action, all]) => {
    const won = all.filter(({ success }) => success).length;
    const newest = all[0] as Try;
    return {
      action,
      won,
      n: all.length,
      p: Math.round(((won + 1) / (all.length + 2)) * 1000) / 1000,
      agents: [...new Set(all.map(({ agent_id }) => agent_id))].slice(0, MAX_AGENTS),
      last_3: all.slice(0, 3).map(({ outcome_type }) => outcome_type),
      last_at: newest.at,
      outcome_ref: newest.outcome_ref,
      note: newest.note,
    };
  });
}

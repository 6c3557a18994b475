type TriedTrace = { trace_id: string; seq: number; agent_id: string };
type CorrectedEntry = { entity_path: string; key: string };
type LaterChange = CorrectedEntry & { seq: number; agent_id: string };

/**
 * Traces that say nothing of a branch as it is now: it was changed after them. What agents write while they do the tasks of the
 * cases is no such change, unless it is an entry that the fix corrects.
 */
export function staleTraces(
  traces: readonly TriedTrace[],
  changes: readonly LaterChange[],
  corrected: readonly CorrectedEntry[],
): Set<string> {
  const nameOf = ({ entity_path, key }: CorrectedEntry) => `${entity_path}\n${key}`;
  const ofFix = new Set(corrected.map(nameOf));
  const lastTry = new Map<string, number>();
  for (const { agent_id, seq } of traces) lastTry.set(agent_id, Math.max(seq, lastTry.get(agent_id) ?? 0));
  const counts = (change: LaterChange) => ofFix.has(nameOf(change)) || change.seq > (lastTry.get(change.agent_id) ?? 0);
  const newest = Math.max(0, ...changes.filter(counts).map(({ seq }) => seq));
  return new Set(traces.filter(({ seq }) => seq < newest).map(({ trace_id }) => trace_id));
}

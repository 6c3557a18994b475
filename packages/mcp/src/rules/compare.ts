import type { JsonObject } from '../session.ts';

const FIELDS = [
  'agent_id',
  'outcome_type',
  'session_duration_ms',
  'total_llm_calls',
  'total_tokens',
  'total_cost_usd',
] as const;

const rowsOf = (trace: JsonObject, name: string) => (trace[name] ?? []) as JsonObject[];
const addressOf = ({ entity_path, key }: JsonObject) => `${entity_path}/${key}`;
const toolOf = ({ tool_name }: JsonObject) => String(tool_name);

/** What two sealed sessions have in common, and where they differ. */
export function compareTraces(a: JsonObject, b: JsonObject): JsonObject {
  return {
    a: shortOf(a),
    b: shortOf(b),
    differences: FIELDS.filter((field) => a[field] !== b[field]).map((field) => ({
      field,
      a: a[field] ?? null,
      b: b[field] ?? null,
    })),
    memory: {
      ...sides(rowsOf(a, 'causal_entries').map(addressOf), rowsOf(b, 'causal_entries').map(addressOf)),
      other_versions: otherVersions(rowsOf(a, 'causal_entries'), rowsOf(b, 'causal_entries')),
    },
    actions: sides(rowsOf(a, 'tool_calls').map(toolOf), rowsOf(b, 'tool_calls').map(toolOf)),
    first_different_action: firstDifference(rowsOf(a, 'tool_calls'), rowsOf(b, 'tool_calls')),
  };
}

const shortOf = ({ trace_id, outcome_ref, outcome_type, agent_id, created_at }: JsonObject) => ({
  trace_id,
  outcome_ref,
  outcome_type,
  agent_id,
  created_at,
});

function sides(a: readonly string[], b: readonly string[]): JsonObject {
  const left = new Set(a);
  const right = new Set(b);
  return {
    only_a: [...left].filter((name) => !right.has(name)),
    only_b: [...right].filter((name) => !left.has(name)),
    both: [...left].filter((name) => right.has(name)),
  };
}

function otherVersions(a: readonly JsonObject[], b: readonly JsonObject[]): JsonObject[] {
  const versions = new Map(b.map((entry) => [addressOf(entry), entry.version]));
  return a.flatMap((entry) => {
    const name = addressOf(entry);
    const other = versions.get(name);
    return other === undefined || other === entry.version ? [] : [{ entry: name, a: entry.version, b: other }];
  });
}

function firstDifference(a: readonly JsonObject[], b: readonly JsonObject[]): JsonObject | null {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const [left, right] = [a[index], b[index]].map((call) => (call ? `${toolOf(call)} ${call.success}` : null));
    if (left !== right) return { index, a: a[index] ?? null, b: b[index] ?? null };
  }
  return null;
}

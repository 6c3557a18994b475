import { type Dialect, fragment, type Query } from '../../db/index.ts';
import { groupBySeq, type Viewer } from '../../kernel/index.ts';
import { attemptsInScope } from './attempts.ts';
import * as queries from './queries.ts';
import { listTracesByIds } from './read-queries.ts';
import { TraceParts } from './render.ts';
import type { TraceHeader } from './shape.ts';

/** What a session did and how it ended, as far as the reader may see. */
export type SessionTries = {
  trace_id: string;
  decision_summary: string | null;
  /** The names of its actions, in order, and which of them decided. */
  actions: readonly string[];
  final_action_index: number | null;
  attempts: readonly { outcome_type: string; summary: string | null; action_indices: readonly number[] }[];
};

type Action = { tool_name: string; action_key?: string };

const TRIES = fragment(`kind IN ('action', 'attempt')`);
/** What an attempt used decides who may read about it. */
const TRIES_IN_SCOPE = fragment(`kind IN ('action', 'attempt', 'read')`);

export async function listTries(
  query: Query,
  { viewer, dialect }: { viewer: Viewer; dialect: Dialect },
  { trace_ids, bytes }: { trace_ids: readonly string[]; bytes: number },
): Promise<SessionTries[]> {
  if (trace_ids.length === 0) return [];
  const rows = await listTracesByIds(query, viewer, dialect.texts(trace_ids));
  const seqs = dialect.numbers(rows.map(({ seq }) => seq));
  const kinds = [viewer.scope === undefined ? TRIES : TRIES_IN_SCOPE];
  const items = groupBySeq((await queries.listItems(query, viewer, { seqs, kinds, bytes })).rows);
  const traces = await Promise.all(
    rows.map(async ({ seq }) => ({ seq, parts: await TraceParts.parse(items.get(seq) ?? []) })),
  );
  const attempts = await attemptsInScope({ query, viewer, dialect }, traces);
  return rows.map(({ trace_id, header }, at) => {
    const { decision_summary, final_action_index } = JSON.parse(header) as TraceHeader;
    const actions = (traces[at]?.parts.of<Action>('action') ?? []).map(
      ({ tool_name, action_key }) => action_key ?? tool_name,
    );
    return { trace_id, decision_summary, final_action_index, actions, attempts: attempts[at] ?? [] };
  });
}

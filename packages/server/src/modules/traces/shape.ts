import { itemKinds } from '../sessions/index.ts';

/** What a session has noted, and what it wrote and read. */
export const partKinds = ['read', 'write', ...itemKinds] as const;
export type PartKind = (typeof partKinds)[number];

export type TracePart = {
  kind: PartKind;
  visible_to?: string;
  entity_path?: string | null;
  key?: string | null;
  entry_id?: number | null;
  data: object;
};

/** The header of a trace: the request, the answer, and the times. */
export type TraceHeader = {
  task_input: string | null;
  response_text: string | null;
  decision_summary: string | null;
  final_action_index: number | null;
  attributes: Record<string, unknown>;
  /** Everything else that the client reported about the session. */
  session_metadata: Record<string, unknown>;
  session_started_at: number | null;
  session_ended_at: number;
  truncated: boolean;
  /** Why reads may be missing; omitted where none are. */
  causes_incomplete_because?: string;
  /** The payloads were erased because of their age. */
  payloads_erased?: true;
  /** Of a trace that a client recorded itself: how much it says it changed, and the `seq` of its outcome. */
  state_diff?: { entries_created: number; entries_updated: number };
  outcome_seq?: number;
};

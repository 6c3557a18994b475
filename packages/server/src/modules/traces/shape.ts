export type PartKind = 'read' | 'write' | 'query' | 'error' | 'context' | 'action' | 'llm_call' | 'span' | 'attempt';

/** One thing that a trace is made of. */
export type TracePart = {
  kind: PartKind;
  visible_to?: string;
  entity_path?: string | null;
  key?: string | null;
  entry_id?: number | null;
  data: object;
};

/** What stands at the head of a trace: what was asked and answered, and when. */
export type TraceHeader = {
  task_input: string | null;
  response_text: string | null;
  decision_summary: string | null;
  final_action_index: number | null;
  attributes: Record<string, unknown>;
  /** Everything else that the client told of the session. */
  session_metadata: Record<string, unknown>;
  session_started_at: number | null;
  session_ended_at: number;
  truncated: boolean;
  /** Why something that was read may be missing; left out where nothing is. */
  causes_incomplete_because?: string;
  /** What was said is gone for its age. */
  payloads_erased?: true;
  /** Of a trace that a client kept itself: how much it says it changed, and the place of its outcome in the log. */
  state_diff?: { entries_created: number; entries_updated: number };
  outcome_seq?: number;
};

import type { OperationName } from './client.ts';

type ToolArguments = Record<string, unknown>;

type SharedTool = {
  tool: string;
  /** The members of the operation's input that the tool takes by the same name. */
  fields: readonly string[];
  /** What it is given besides, from the rest of the input; undefined where it cannot ask for that. */
  more?: (rest: ToolArguments) => ToolArguments | undefined;
};

const only = (rest: ToolArguments, given: ToolArguments): ToolArguments | undefined =>
  Object.keys(rest).length === 0 ? given : undefined;

/** Tools that do more than one operation, as they are asked for what a page shows. */
export const OWN_TOOLS: Partial<Record<OperationName, SharedTool>> = {
  'incidents.list': {
    tool: 'mem_incident',
    fields: ['agent_id', 'judge_id', 'behavior_id', 'group_id', 'status', 'limit', 'cursor'],
  },
  'incidents.read': { tool: 'mem_incident', fields: ['incident_id'], more: (rest) => only(rest, { action: 'get' }) },
  'alerts.list': { tool: 'mem_alerts', fields: ['rule_id', 'status', 'limit', 'cursor'] },
  'alert_rules.list': { tool: 'mem_alerts', fields: [], more: (rest) => only(rest, { action: 'rules' }) },
  'traces.search': {
    tool: 'mem_trace_search',
    fields: [
      ...['query', 'attributes', 'span_name', 'span_kind', 'model', 'tool_name', 'has_error', 'outcome_type'],
      ...['agent_id', 'entity_path', 'key', 'version', 'min_cost_usd', 'min_duration_ms', 'since', 'until'],
      ...['sort_by', 'facets', 'limit', 'cursor', 'branch'],
    ],
  },
  'traces.list_spans': { tool: 'mem_trace_spans', fields: ['trace_id', 'limit'] },
  'traces.read_span': { tool: 'mem_span_payload', fields: ['trace_id', 'span_id'] },
  'traces.compare': {
    tool: 'mem_trace_compare',
    fields: ['trace_ids', 'limit'],
    more: ({ only_differences = false, ...rest }) => only(rest, { all_steps: !only_differences }),
  },
  'rooms.read': { tool: 'mem_room_info', fields: ['room_id'] },
  'investigations.run': { tool: 'mem_investigate', fields: ['agent_id', 'question', 'trace_id', 'max_steps'] },
};

/** The call of the tool that does this operation among others; undefined where there is none that can. */
export function ownToolCall(
  name: OperationName,
  input: ToolArguments,
): { tool: string; given: ToolArguments } | undefined {
  const own = OWN_TOOLS[name];
  if (own === undefined) return undefined;
  const members = Object.entries(input).filter(([, value]) => value !== undefined);
  const { fields, more = (rest) => only(rest, {}) } = own;
  const besides = more(Object.fromEntries(members.filter(([member]) => !fields.includes(member))));
  if (besides === undefined) return undefined;
  return { tool: own.tool, given: { ...besides, ...Object.fromEntries(members.filter(([m]) => fields.includes(m))) } };
}

/** The fields of an event that its summary needs. */
export type SummarizedEvent = {
  event_type: string;
  agent_id: string;
  actor_agent_id: string | null;
  branch: string;
  entity_path: string | null;
  key: string | null;
  version: number | null;
  details: Record<string, unknown>;
};

const MAX_QUOTED = 120;

/** Summarises an event in one line that starts with the verb, or with the name of another agent that acted. */
export function summaryOf(event: SummarizedEvent): string {
  const known = Object.hasOwn(SUMMARIES, event.event_type) ? SUMMARIES[event.event_type] : undefined;
  const line = (known ?? otherwise)(event);
  const { actor_agent_id, agent_id } = event;
  if (actor_agent_id === null || actor_agent_id === agent_id) return line;
  return `${actor_agent_id} ${line.charAt(0).toLowerCase()}${line.slice(1)}`;
}

const SUMMARIES: Record<string, (event: SummarizedEvent) => string> = {
  write: (event) => {
    const { restored_from } = event.details;
    return restored_from === undefined ? `Wrote ${entryOf(event)}` : `Restored v${restored_from} as ${entryOf(event)}`;
  },
  delete: (event) => `Deleted ${entryOf(event)}`,
  expire: (event) => `Let ${entryOf(event)} expire`,
  commit: ({ details }) => {
    const message = quoted(details.message);
    return `Committed ${count(details.entries_written, 'entry')}${message === '' ? '' : `: ${message}`}`;
  },
  erase: ({ details }) => `Erased ${count(details.entries, 'entry')}`,
  outcome: ({ details }) => `Committed outcome '${quoted(details.outcome_ref)}' (${quoted(details.outcome_type)})`,
  trace: ({ details }) => `Sealed a trace${details.outcome_ref ? ` of '${quoted(details.outcome_ref)}'` : ''}`,
  context: ({ details }) => `Recorded context '${quoted(details.label)}'`,
  action: ({ details }) =>
    `Ran ${quoted(details.tool_name) || 'a tool'}${details.success === false ? ', which failed' : ''}`,
  clock_corrected: ({ details }) => {
    const to = quoted(details.to);
    return to === '' ? 'Set the clock back' : `Set the clock back to ${to}`;
  },
  error: ({ details }) =>
    `Met ${quoted(details.error_type) || 'an error'} in ${quoted(details.operation) || 'its work'}`,
  llm_call: ({ details }) => `Called ${quoted(details.model) || 'a language model'}`,
  span: ({ details }) =>
    details.spans === undefined
      ? `Recorded span ${quoted(details.name ?? details.span_id)}`.trim()
      : `Exported ${count(details.spans, 'span')} with ${count(details.llm_calls, 'call')} of language models`,
  attributes: ({ details }) => `Set ${count(details.keys, 'attribute')}`,
  attempt: ({ details }) => `Gave up attempt ${quoted(details.attempt)} (${quoted(details.outcome_type)})`,
  cross_agent_read: (event) => {
    const { source_agent_id } = event.details;
    return `Read ${entryOf(event)}${source_agent_id === undefined ? '' : ` of ${source_agent_id}`}`;
  },
  brief_compiled: ({ details }) =>
    `Compiled ${quoted(details.digest_type) || 'a'} digest of ${count(details.entry_count, 'entry')}`,
  webhook_ingested: (event) => {
    const source = quoted(event.details.connector ?? event.details.source);
    return `Ingested ${event.entity_path === null ? 'external context' : entryOf(event)}${source && ` from ${source}`}`;
  },
  dead_letter_replayed: ({ details }) =>
    `Replayed an event of ${quoted(details.connector) || 'a connector'}${details.replayed === true ? '' : ', which failed'}`,
  judge_defined: ({ details }) =>
    `Defined version ${quoted(details.judge_version) || '1'} of judge '${quoted(details.judge_id)}'`,
  traces_judged: ({ details }) => {
    const traces = Array.isArray(details.traces) ? details.traces.length : 0;
    return `Judged ${count(traces, 'trace')}: ${count(details.failed, 'verdict')} of ${quoted(details.verdicts)} failed`;
  },
  model_judging_started: () => 'Asked a language model to judge traces',
  budget_set: () => 'Set what language models may cost',
  verdict_overruled: ({ details }) =>
    details.result === null
      ? `Took back the overruling of judge '${quoted(details.judge_id)}'`
      : `Overruled judge '${quoted(details.judge_id)}'${resultOf(details.result)}`,
  verdicts_counted: ({ details }) => `Verdicts changed the confidence in ${count(details.entries, 'entry')}`,
  backfill_started: () => 'Asked judges to look at traces of the past',
  case_changed: ({ details }) =>
    `${details.status === 'deleted' ? 'Deleted' : 'Kept'} regression case '${quoted(details.case_id)}'`,
  cases_run: ({ details }) =>
    `Ran ${count(details.cases, 'regression case')} of set '${quoted(details.set_id)}': ${Number(details.passed)} passed`,
  alert_rule_changed: ({ details }) =>
    `${ALERT_RULE_CHANGES[details.status as string] ?? 'Changed'} alert rule '${quoted(details.rule_id)}'`,
  alert_raised: ({ details }) => `Raised an alert of rule '${quoted(details.rule_id)}'`,
  alert_acknowledged: ({ details }) => `Acknowledged an alert of rule '${quoted(details.rule_id)}'`,
  backfill_ended: ({ details }) => `Ended a backfill of ${count(details.traces, 'trace')}${resultOf(details.status)}`,
  incident_opened: ({ details }) => `Opened an incident of ${failingIn(details)}: ${failuresIn(details)}`,
  incident_grown: ({ details }) => `Counted ${failuresIn(details)} in the incident of ${failingIn(details)}`,
  incident_acknowledged: ({ details }) => `Acknowledged an incident of ${failingIn(details)}`,
  incident_muted: ({ details }) => `Muted an incident of ${failingIn(details)}`,
  incident_resolved: ({ details }) => `Resolved an incident of ${failingIn(details)}`,
  incident_reopened: ({ details }) => `Opened an incident of ${failingIn(details)} again: ${failuresIn(details)}`,
  behavior_defined: ({ details }) =>
    `Defined version ${quoted(details.behavior_version) || '1'} of behavior '${quoted(details.behavior_id)}'`,
  traces_matched: ({ details }) => `Found ${count(details.matched, 'behavior')} in traces`,
  fix_proposed: ({ details }) => `Proposed a fix of ${count(details.entries, 'entry')}`,
  fix_approved: () => 'Approved a fix of memory',
  fix_policy_set: () => 'Set what fixes have to go through',
  fix_dismissed: () => 'Dismissed a fix of memory',
  pattern_scan_started: () => 'Began to look for patterns',
  pattern_scan_ended: ({ details }) => `Ended a scan for patterns${resultOf(details.status)}`,
  pattern_opened: ({ details }) => `Found a pattern${resultOf(details.pattern_type)}`,
  pattern_reopened: ({ details }) => `Found a pattern again${resultOf(details.pattern_type)}`,
  pattern_resolved: ({ details }) => `Resolved a pattern${resultOf(details.pattern_type)}`,
  room_created: () => 'Created a room',
  room_account_joined: ({ details }) => `Was admitted to ${roomOf(details)}`,
  room_agent_joined: ({ details }) => `Joined ${roomOf(details)}`,
  room_agent_left: ({ details }) => `Left ${roomOf(details)}`,
  negotiation_started: () => 'Began a negotiation',
  negotiation_step: ({ details }) => `Took a step in a negotiation${quotedAction(details)}`,
  negotiation_ended: () => 'Ended a negotiation',
  room_document_added: ({ details }) => `Added ${documentOf(details)}`,
  room_document_read: ({ details }) => `The text of ${documentOf(details)} was read${resultOf(details.status)}`,
  room_document_deleted: ({ details }) => `Deleted ${documentOf(details)}`,
  room_updated: () => 'Changed a room',
  room_closed: ({ details }) => `Closed ${roomOf(details)}`,
  room_account_left: ({ details }) => `Lost access to ${roomOf(details)}`,
  room_invited: ({ details }) => `Invited to ${roomOf(details)}`,
  room_invitation_ended: ({ details }) => `Answered or withdrew an invitation to ${roomOf(details)}`,
  room_access_requested: ({ details }) => `Asked for access to ${roomOf(details)}`,
  room_access_answered: ({ details }) =>
    `Answered a request for access to ${roomOf(details)}${resultOf(details.status)}`,
  room_topic_added: ({ details, entity_path }) => `Shared ${entity_path ?? 'a path'} with ${roomOf(details)}`,
  room_topic_removed: ({ details }) => `Removed a topic from ${roomOf(details)}`,
  room_message: ({ details }) => `Wrote a message in ${roomOf(details)}`,
  branch_created: (event) => `Created branch '${branchNamedIn(event)}'`,
  branch_merged: (event) => `Merged branch '${branchNamedIn(event)}' into ${quoted(event.details.target) || 'main'}`,
  branch_closed: (event) => `Closed branch '${branchNamedIn(event)}'`,
  branch_reopened: (event) => `Reopened branch '${branchNamedIn(event)}'`,
  branch_updated: (event) => `Updated branch '${branchNamedIn(event)}'`,
  branch_refreshed: (event) => `Refreshed branch '${branchNamedIn(event)}'`,
  conflict_resolved: ({ details }) => `Resolved ${count(details.resolved, 'conflict')} of a merge`,
  merge_aborted: ({ details }) => `Gave up a merge with ${count(details.conflicts, 'conflict')}`,
  pull_request_opened: (event) => `Opened a pull request of branch '${branchNamedIn(event)}'`,
  pull_request_updated: (event) => `Changed a pull request of branch '${branchNamedIn(event)}'`,
  pull_request_reviewed: (event) =>
    `Reviewed a pull request of branch '${branchNamedIn(event)}'${resultOf(event.details.decision)}`,
  pull_request_checked: (event) =>
    `Posted check '${quoted(event.details.check)}' of branch '${branchNamedIn(event)}'${resultOf(event.details.status)}`,
  pull_request_merged: (event) => `Merged the pull request of branch '${branchNamedIn(event)}'`,
  pull_request_closed: (event) => `Closed the pull request of branch '${branchNamedIn(event)}'`,
  pull_request_reopened: (event) => `Reopened the pull request of branch '${branchNamedIn(event)}'`,
  access_granted: (event) =>
    `Granted ${quoted(event.details.permission) || 'access'} on branch '${branchNamedIn(event)}' to ${granteeOf(event)}`,
  access_revoked: (event) => `Revoked access on branch '${branchNamedIn(event)}' from ${granteeOf(event)}`,
  tag_created: ({ details }) => `Created tag '${quoted(details.tag ?? details.name)}'`,
  tag_deleted: ({ details }) => `Deleted tag '${quoted(details.tag)}'`,
  rollback: ({ details }) => `Rolled back to ${quoted(details.tag ?? details.timestamp) || 'an earlier time'}`,
  cherry_pick: (event) =>
    `Cherry-picked ${count(event.details.entries, 'entry')} from branch '${branchNamedIn(event)}'`,
  fork: ({ details }) =>
    `Forked ${count(details.entries, 'entry')} to ${quoted(details.target_agent_id) || 'an agent'}`,
  quarantine: ({ details }) => `Put ${count(details.entries, 'entry')} under quarantine`,
  quarantine_undone: ({ details }) => `Released ${count(details.entries, 'entry')} from quarantine`,
  entry_quarantined: (event) => `Put ${entryOf(event)} under quarantine`,
  entry_released: (event) => `Released ${entryOf(event)} from quarantine`,
  edge_added: ({ details }) =>
    details.source === undefined
      ? 'Linked what was erased'
      : `Linked ${quoted(details.source)} ${quoted(details.relation)} ${quoted(details.target)}`,
  consolidation_started: () => 'Began to consolidate memory',
  consolidation_proposed: ({ details }) =>
    `Proposed to merge ${count(details.source_entry_count, 'entry')} (${quoted(details.strategy)})`,
  consolidation_approved: ({ details }) => `Approved to merge ${count(details.source_entry_count, 'entry')}`,
  consolidation_rejected: ({ details }) => `Rejected to merge ${count(details.source_entry_count, 'entry')}`,
  consolidation_auto_merged: (event) => {
    const reason = quoted(event.details.reason);
    return `Demoted ${entryOf(event)}${reason && `: ${reason}`}`;
  },
  golden_query_added: (event) => `Added a golden query of ${entryOf(event)}`,
  golden_query_deleted: (event) => `Deleted a golden query of ${entryOf(event)}`,
  agent_updated: ({ details, agent_id }) => `Updated the ${quoted(details.part) || 'profile'} of ${agent_id}`,
};

/** The summary of an event type that this version does not know. */
function otherwise(event: SummarizedEvent): string {
  const words = event.event_type.replaceAll('_', ' ').trim() || 'event';
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${event.entity_path === null ? '' : ` ${entryOf(event)}`}`;
}

function entryOf({ entity_path, key, version, details }: SummarizedEvent): string {
  if (entity_path === null) return details.erased === true ? 'an entry that was erased' : 'an entry';
  return `${entity_path}${key === null ? '' : `/${key}`}${version === null ? '' : ` v${version}`}`;
}

/** What was decided, where it is known. */
const ALERT_RULE_CHANGES: Readonly<Record<string, string>> = { set: 'Set', muted: 'Muted', deleted: 'Deleted' };

const resultOf = (given: unknown): string => {
  const text = quoted(given).replaceAll('_', ' ');
  return text && `: ${text}`;
};

const failingIn = ({ source_kind, source_id }: SummarizedEvent['details']): string =>
  `${quoted(source_kind) || 'judge'} '${quoted(source_id)}'`;

/** A trace with a behavior need not have failed. */
const failuresIn = ({ source_kind, failures }: SummarizedEvent['details']): string =>
  count(failures, source_kind === 'behavior' ? 'trace' : 'failure');

const quotedAction = ({ action }: SummarizedEvent['details']): string =>
  quoted(action) === '' ? '' : `: ${quoted(action)}`;

const roomOf = ({ room_id }: SummarizedEvent['details']): string =>
  quoted(room_id) === '' ? 'a room' : `room '${quoted(room_id)}'`;

const documentOf = ({ name }: SummarizedEvent['details']): string =>
  quoted(name) === '' ? 'a document' : `document '${quoted(name)}'`;

const branchNamedIn = ({ details, branch }: SummarizedEvent) => quoted(details.branch ?? details.name) || branch;

const granteeOf = ({ details }: SummarizedEvent) =>
  `${quoted(details.grantee_type)} ${quoted(details.grantee_id)}`.trim() || 'somebody';

function count(n: unknown, noun: string): string {
  const plural = noun.endsWith('y') ? noun.replace(/y$/, 'ies') : `${noun}s`;
  return typeof n === 'number' ? `${n} ${n === 1 ? noun : plural}` : plural;
}

/** The first line of a caller's text, truncated to fit. */
function quoted(text: unknown): string {
  if (text === undefined || text === null) return '';
  const line = String(text).trim().split('\n', 1)[0] as string;
  return line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED - 1).toWellFormed()}…` : line;
}

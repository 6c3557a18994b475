import type { JsonObject } from '@mem-service/contract';
import { expect, it } from 'vitest';
import { toolsOf } from '../../packages/mcp/src/index.ts';
import { connect, newHome, runMem } from './support.ts';

const at = { entity_path: 'svc', key: 'limit' };
const last = { trace_id: 'last' };
const VALUE = { none: null, list: [], branch: 'main', confidence: 0.123456789 };

/** A merge with a conflict. */
const REFUSED = 'clash';

/** A call of every tool, in an order in which each finds something. */
const CALLS: readonly (readonly [name: string, args?: JsonObject])[] = [
  ['mem_whoami'],
  ['mem_connectors'],
  ['mem_set_identity', { name: 'bot', description: 'deploys' }],
  ['mem_room_add_document', { room_id: '@', name: 'plan.md', content: 'Ship on Monday.' }],
  ['mem_write', { ...at, value: VALUE, confidence: 0.123456 }],
  ['mem_write', { ...at, value: { ...VALUE, more: 1 }, confidence: 0.123456 }],
  ['mem_commit_batch', { writes: [{ entity_path: 'svc', key: 'other', value: { n: 1 } }], message: 'one' }],
  ['mem_read', at],
  ['mem_recall', at],
  ['mem_read_from', { ...at, source_agent_id: 'bot' }],
  ['mem_search', { query: 'limit' }],
  ['mem_retrieve', { query: 'which limit?' }],
  ['mem_briefing', { entity_path: 'svc' }],
  ['mem_list', { entity_path: 'svc' }],
  ['mem_my_entries'],
  ['mem_history', at],
  ['mem_diff', at],
  ['mem_stats'],
  ['mem_aggregate', { entity_path: 'svc', op: 'stats', field: 'n' }],
  ['mem_verify'],
  ['mem_commit_log'],
  ['mem_export', { entity_path: 'svc' }],
  ['mem_export', { entity_path: 'nowhere' }],
  ['mem_branch_create', { name: 'exp' }],
  ['mem_branch_list'],
  ['mem_branch_read', { name: 'exp' }],
  ['mem_write', { entity_path: 'exp', key: 'added', value: { n: 1 }, branch: 'exp' }],
  ['mem_diff_branches', { name: 'exp' }],
  ['mem_compare', { from: 'main', to: 'exp' }],
  ['mem_cherry_pick', { from: 'exp', entries: [{ entity_path: 'exp', key: 'added' }] }],
  ['mem_branch_merge', { name: 'exp', keep_open: true }],
  ['mem_merge_base', { name: 'exp' }],
  ['mem_branch_refresh', { name: 'exp' }],
  ['mem_write', { entity_path: 'exp', key: 'added', value: { n: 2 }, branch: 'exp' }],
  ['mem_write', { entity_path: 'exp', key: 'added', value: { n: 3 } }],
  ['mem_branch_merge', { name: 'exp', strategy: 'THREE_WAY', merge_id: REFUSED }],
  ['mem_list_merges'],
  ['mem_list_conflicts', { merge_id: REFUSED }],
  ['mem_read_conflict', { merge_id: REFUSED, no: 0 }],
  ['mem_resolve_conflict', { merge_id: REFUSED, no: 0, take: 'source' }],
  ['mem_abort_merge', { merge_id: REFUSED }],
  ['mem_create_tag', { name: 'v1' }],
  ['mem_list_tags'],
  ['mem_rollback', { tag: 'v1', dry_run: true }],
  ['mem_delete_tag', { name: 'v1' }],
  ['mem_pr_open', { title: 'Try it', source_branch: 'exp' }],
  ['mem_pr_list'],
  ['mem_pr_read', { id: '@' }],
  ['mem_pr_review', { id: '@', decision: 'commented', comment: 'why?' }],
  ['mem_pr_read', { id: '@' }],
  ['mem_pr_close', { id: '@' }],
  ['mem_pr_reopen', { id: '@' }],
  ['mem_pr_close', { id: '@' }],
  ['mem_branch_create', { name: 'proposed' }],
  ['mem_write', { entity_path: 'svc', key: 'proposed', value: 1, branch: 'proposed' }],
  ['mem_pr_open', { title: 'Try it', source_branch: 'proposed' }],
  ['mem_pr_merge', { id: '@' }],
  ['mem_branch_close', { name: 'exp' }],
  ['mem_branch_reopen', { name: 'exp' }],
  ['mem_fork', { target_agent_id: 'other', entity_path: 'svc' }],
  ['mem_trace_influence', { written_by: 'other' }],
  ['mem_quarantine', { written_by: 'other' }],
  ['mem_list_quarantines'],
  ['mem_read_quarantine', { quarantine_id: '@' }],
  ['mem_undo_quarantine', { quarantine_id: '@' }],
  ['mem_record_context', { label: 'ticket', summary: 'times out' }],
  ['mem_record_action', { tool_name: 'deploy' }],
  ['mem_set_trace_attributes', { attributes: { team: 'payments' } }],
  ['mem_record_llm_call', { model: 'some-model', input_tokens: 10 }],
  ['mem_start_span', { name: 'plan' }],
  ['mem_end_span', { span_id: '@' }],
  ['mem_record_span', { name: 'look up' }],
  ['mem_explain'],
  ['mem_record_attempt', { summary: 'no' }],
  ['mem_read', at],
  ['mem_commit_outcome', { outcome_ref: 'r', outcome_type: 'success' }],
  ['mem_read', at],
  ['mem_explain', last],
  ['mem_get_trace', last],
  ['mem_list_traces'],
  ['mem_trace_search'],
  ['mem_trace_spans', last],
  ['mem_span_payload', { ...last, span_id: '@' }],
  ['mem_trace_compare', { trace_ids: ['last', 'last'] }],
  ['mem_export_training_data'],
  ['mem_timeline'],
  ['mem_agents'],
  ['mem_agent_profile'],
  ['mem_readers', at],
  ['mem_outcomes'],
  ['mem_stale_reads'],
  ['mem_series', { unit: 'minute' }],
  ['mem_tree'],
  ['mem_graph_overview'],
  ['mem_graph_neighbors', { entity: 'svc' }],
  ['mem_consolidate', { preview: true }],
  ['mem_consolidate'],
  ['mem_consolidation_status'],
  ['mem_consolidation_candidates', { entity_path: 'svc' }],
  ['mem_propose_consolidation', { sources: [at, { entity_path: 'svc', key: 'other' }] }],
  ['mem_consolidation_proposals'],
  ['mem_decide_proposal', { proposal_id: '@', decision: 'reject' }],
  ['mem_room_create', { name: 'More plans', description: 'what comes next', label: 'us' }],
  ['mem_my_rooms'],
  ['mem_room_join', { room_id: '@' }],
  ['mem_room_info', { room_id: '@' }],
  ['mem_room_members', { room_id: '@' }],
  ['mem_room_update', { room_id: '@', description: 'what is next' }],
  ['mem_room_discover', { q: 'plans' }],
  ['mem_room_details', { room_id: '@' }],
  ['mem_my_access_requests'],
  ['mem_room_request_access', { room_id: '@', message: 'We test the plans.' }],
  ['mem_room_access_requests', { room_id: '@' }],
  ['mem_room_approve_access', { room_id: '@', access_request_id: 'none' }],
  ['mem_room_decline_access', { room_id: '@', access_request_id: 'none' }],
  ['mem_room_grant_access', { room_id: '@', account_id: '3f1c0e9a-5b7d-4246-8ace-013579bdf246' }],
  ['mem_room_add_topic', { room_id: '@', entity_path: 'svc', title: 'How it works' }],
  ['mem_room_topics', { room_id: '@' }],
  ['mem_room_remove_topic', { room_id: '@', topic_id: '@' }],
  ['mem_room_set_discoverable', { room_id: '@', discoverable: false }],
  ['mem_room_discuss', { room_id: '@', content: 'Here?', message_type: 'question', addressed_to: 'helper@home' }],
  ['mem_room_discuss', { room_id: '@', content: 'Rather there.', reply_to: '@' }],
  ['mem_room_discussions', { room_id: '@' }],
  ['mem_room_updates', { room_id: '@' }],
  ['mem_room_invite', { room_id: '@' }],
  ['mem_room_invitations', { room_id: '@' }],
  ['mem_room_withdraw_invite', { room_id: '@', invitation_id: '@' }],
  ['mem_my_invitations'],
  ['mem_room_accept_invite', { invitation_id: '@' }],
  ['mem_room_decline_invite', { invitation_id: '@' }],
  ['mem_room_redeem', { token: 'none' }],
  ['mem_room_remove_account', { room_id: '@', label: 'nobody' }],
  ['mem_negotiate_respond', { room_id: '@', negotiation_id: '@', action: 'accept' }],
  ['mem_negotiate_create', { room_id: '@', title: 'When to release' }],
  ['mem_negotiate_propose', { room_id: '@', negotiation_id: '@', proposal: { release: 'friday' } }],
  ['mem_negotiate_list', { room_id: '@' }],
  ['mem_negotiate_status', { room_id: '@', negotiation_id: '@' }],
  ['mem_negotiate_cancel', { room_id: '@', negotiation_id: '@' }],
  ['mem_room_documents', { room_id: '@' }],
  ['mem_room_document_search', { q: 'ship', room_id: '@' }],
  ['mem_room_document_read', { room_id: '@', document_id: '@' }],
  ['mem_room_delete_document', { room_id: '@', document_id: '@' }],
  ['mem_room_leave', { room_id: '@' }],
  ['mem_room_info', { room_id: '@' }],
  ['mem_room_close', { room_id: '@' }],
  ['mem_delete', at],
  ['mem_restore', at],
  ['mem_reset_identity'],
];

/** A store of this machine has one account, which nobody invites. */
const INVITED = new Set([
  ...['mem_room_accept_invite', 'mem_room_decline_invite', 'mem_room_redeem'],
  ...['mem_room_request_access', 'mem_room_approve_access', 'mem_room_decline_access'],
]);

const IDS = 'span_id proposal_id quarantine_id negotiation_id document_id invitation_id topic_id id'.split(' ');

/** The arguments, with ids that earlier answers gave in place of `@`. */
const withIds = (args: JsonObject, made: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, value === '@' ? made[name] : value]),
  ) as JsonObject;

/** What callers gave, and examples to train with: they are shown as they are. */
const GIVEN = ['value', 'old_value', 'new_value', 'proposed_value', 'inline', 'examples'];

/** What is said without need anywhere in an answer, with its place. */
function needless(value: unknown, place: string): string[] {
  if (value === null || (typeof value === 'object' && Object.keys(value).length === 0)) return [place];
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([name, one]) =>
      GIVEN.includes(name) ? [] : needless(one, `${place}.${name}`),
    );
  const isLong = typeof value === 'number' && twoDigits.test(place) && Math.round(value * 100) / 100 !== value;
  return isLong || value === false || /\.branch=main$/.test(`${place}=${value}`) ? [`${place}=${value}`] : [];
}

const twoDigits = /confidence[^.]*(\.\d+\.(before|after))?$|\.evidence_\w+$/;
/** Here false, or that there is none, is the news. */
const NEWS =
  /\.(profile_saved|shared|secret_set|is_mergeable|joined|removed|admitted)=false$|^mem_(stale_reads\.stale_reads|my_invitations\.invitations|(my|room)_access_requests\.access_requests)$/;

/** A room of the agent and a helper, who has proposed something there. */
async function newProposal(env: Record<string, string>): Promise<JsonObject> {
  const made = async (...args: string[]): Promise<JsonObject> => {
    const { out, err } = await runMem([...args, '--json'], env);
    expect(err).toBe('');
    return JSON.parse(out) as JsonObject;
  };
  const { room_id } = (await made('create-room', 'Plans', '--agent', 'bot')) as { room_id: string };
  await made('update-room', room_id, '--discoverable', '--agent', 'bot');
  await made('join-room', room_id, '--agent', 'helper');
  const begun = await made('create-negotiation', room_id, 'Where to meet', '--agent', 'helper');
  const { negotiation_id } = begun as { negotiation_id: string };
  await made('negotiate', room_id, negotiation_id, '--proposal', '{"place":"here"}', '--agent', 'helper');
  return { room_id, negotiation_id };
}

it('no tool answers with what is empty or as usual, or with confidences of many digits', async () => {
  const home = newHome();
  const made = await newProposal(home);
  const mcp = await connect(home, { args: ['--toolset', 'all'] });
  const listed = (await mcp.client.listTools()).tools.map(({ name }) => name);
  expect(listed.filter((name) => !CALLS.some(([called]) => called === name))).toEqual([]);
  expect(listed).toHaveLength(toolsOf(['all']).length);
  for (const [name, args = {}] of CALLS) {
    const { json, isError, text } = await mcp.call(name, withIds(args, made));
    const isConflict = name === 'mem_branch_merge' && args.merge_id === REFUSED;
    expect(isError, `${name} ${text}`).toBe(isConflict || INVITED.has(name));
    for (const id of IDS) if (json[id] !== undefined) made[id] = json[id];
    if (json.message_id !== undefined) made.reply_to = json.message_id;
    const found = needless(json, name).filter((one) => !NEWS.test(one));
    expect(found, text).toEqual([]);
    if (name === 'mem_read') expect(json.value).toMatchObject(VALUE);
    if (name === 'mem_propose_consolidation') expect(json.proposed_value).toMatchObject(VALUE);
  }
});

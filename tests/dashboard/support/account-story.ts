import { layAlerts } from '../../contract/alerts.ts';
import { layIncidents } from '../../contract/incidents.ts';
import { layPatterns } from '../../contract/patterns.ts';
import { layRequests, layTopics } from '../../contract/room-access.ts';
import type { TestApp } from '../../support/app.ts';
import { fillEvaluation } from './evaluation-story.ts';
import { fillBriefing, fillConnectors, fillReview, type ReviewStory, XSS } from './review-story.ts';
import { type TraceStory, writeTraceStory } from './trace-story.ts';

/** The same for names that may hold no white space. */
export const XSS_NAME = '<svg/onload=document.title=`hacked`>';
/** And for those that may hold no slash. */
const XSS_SEGMENT = '<iframe onload="document.title=`hacked`">';

/** What an account of the tests holds, by name. */
export type AccountStory = ReviewStory &
  TraceStory & {
    hostile: { trace: string; pull: string; team: string };
    /** Of evaluation, each with such texts. */
    incident_id: string;
    fix_id: string;
    room: RoomStory;
  };

type RoomStory = { room_id: string; negotiation_id: string; document_id: string; found_id: string };

/** An account in which every page has something to show, and every text that somebody can write holds a script. */
export async function fillAccount(app: TestApp, account_id: string): Promise<AccountStory> {
  const call: TestApp['call'] = (name, input, as) => app.call(name, input, { account_id, ...as });
  const inAccount = { ...app, call };
  const traces = await writeTraceStory(inAccount);
  await fillBriefing(inAccount);
  await fillConnectors(inAccount);
  const hostile = await writeScripts(call);
  await fillEvaluation(inAccount, [hostile.trace, traces.incident]);
  const as = { account_id };
  const laid = { trace_id: hostile.trace, judge_ids: ['no-failed-tools'] };
  const [incident_id = ''] = await layIncidents(app, { as }, laid);
  const fix_id = await proposeFix(call);
  await layAlerts(app, { as, known: {} }, { ids: ['too-dear'], nameOf: () => XSS });
  await layPatterns(app, { as, known: {} }, { paths: [`patterns/${XSS}`], reason: () => XSS });
  await layPatterns(app, { as, known: {} }, { paths: ['patterns/gateway'] });
  const room = await fillRoom(inAccount, account_id);
  return { ...traces, ...(await fillReview(inAccount)), hostile, incident_id, fix_id, room };
}

/** A room that the dashboard has joined, with talk, a negotiation, a file, a topic, an invitation and requests for access. */
async function fillRoom(app: TestApp, account_id: string): Promise<RoomStory> {
  const { call } = app;
  const as = { agent_id: XSS };
  const { room_id } = await call('rooms.create', { name: XSS, description: XSS, label: 'crew' }, as);
  const at = { room_id };
  await call('rooms.join', at, { agent_id: 'dashboard' });
  const { message_id } = await call('rooms.discuss', { ...at, content: XSS, message_type: 'question' }, as);
  await call('rooms.discuss', { ...at, content: XSS, reply_to: message_id, addressed_to: 'dashboard@crew' }, as);
  const { negotiation_id } = await call('negotiations.create', { ...at, title: XSS, description: XSS }, as);
  const step = { ...at, negotiation_id };
  await call('negotiations.propose', { ...step, proposal: { [XSS]: XSS }, rationale: XSS }, as);
  const file = { ...at, name: 'hostile.md', title: XSS, content: XSS };
  const { document_id } = await call('room_documents.add', file, as);
  await call('rooms.invite', at, as);
  await call('entries.write', { entity_path: `@${room_id}/${XSS_NAME}`, key: XSS, value: XSS }, as);
  await layTopics(app, { as, titles: [XSS], path: () => `hostile/${XSS_SEGMENT}` }, at);
  await layRequests(app, { as: { ...as, account_id }, messages: [XSS], name: () => XSS }, at);
  await call('rooms.update', { ...at, discoverable: true }, as);
  const { access_requests } = await call('room_access_requests.list', {});
  return { room_id, negotiation_id, document_id, found_id: access_requests[0]?.room_id as string };
}

/** A fix of an entry that somebody made worse. */
async function proposeFix(call: TestApp['call']): Promise<string> {
  const at = { entity_path: 'hostile/limits', key: XSS };
  for (const value of ['three', XSS]) await call('entries.write', { ...at, value }, { agent_id: XSS });
  const fix = { ...at, entries: [{ ...at, value: `${XSS} no more` }], description: XSS };
  return (await call('fixes.propose', fix)).fix_id;
}

/** Scripts in every field that a person or an agent can write. */
async function writeScripts(call: TestApp['call']): Promise<AccountStory['hostile']> {
  const as = { agent_id: XSS, session_id: `session ${XSS}` };
  const entry = { entity_path: `hostile/${XSS}`, key: XSS };
  await call('entries.write', { ...entry, value: { [XSS]: [XSS] }, confidence: 0.7 }, as);
  await call('agents.set_profile', { agent_id: XSS, description: XSS, tags: [XSS] });
  await call('agents.set_capabilities', { agent_id: XSS, capabilities: [{ name: XSS, description: XSS }] });
  await call('agents.set_contracts', {
    agent_id: XSS,
    contracts: [{ entity_path: `hostile/${XSS_SEGMENT}/**`, ttl_required: true }],
  } as never);
  const trace = await commitScripts(call, as, entry);
  await call('keys.create', { name: XSS });
  const { team_id: team } = await call('teams.create', { name: XSS, slug: 'hostile', description: XSS });
  await call('branches.create', { name: XSS_NAME, description: XSS }, as);
  await call('entries.write', { ...entry, value: `${XSS} on a branch`, branch: XSS_NAME }, as);
  await call('tags.create', { name: XSS_NAME, description: XSS }, as);
  const proposal = { title: XSS, description: XSS, source_branch: XSS_NAME };
  const { id: pull } = await call('pull_requests.create', proposal, as);
  await call('pull_requests.review', { id: pull, decision: 'commented', comment: XSS, ...entry }, as);
  for (const no of [1, 2]) {
    const payload = { ...entry, entity_path: 'hostile/builds', value: { reported: XSS } };
    await call('webhooks.receive', { connector: 'example', id: `${XSS} ${no}`, event_type: XSS, payload });
  }
  return { trace, pull, team };
}

async function commitScripts(
  call: TestApp['call'],
  as: { agent_id: string; session_id: string },
  entry: { entity_path: string; key: string },
): Promise<string> {
  await call('entries.read', entry, as);
  await call('entries.search', { query: XSS }, as);
  await call('sessions.record_context', { label: XSS, summary: XSS, source: XSS }, as);
  await call('sessions.record_action', { tool_name: XSS, arguments: { [XSS]: XSS }, result_summary: XSS }, as);
  await call('sessions.record_llm_call', { model: XSS, provider: XSS, error: XSS }, as);
  await call('sessions.record_span', { name: XSS, kind: 'tool', output: { [XSS]: XSS } }, as);
  await call('sessions.record_error', { operation: XSS, error_type: XSS, message: XSS, stack_trace: XSS }, as);
  await call('sessions.set_attributes', { attributes: { [XSS]: XSS } }, as);
  await call('sessions.record_attempt', { summary: XSS, outcome_type: 'failure' }, as);
  await call('entries.read', entry, as);
  const report = { outcome_ref: XSS, outcome_type: 'p1_incident', task_input: XSS, response_text: XSS } as const;
  const { trace_id } = await call('outcomes.commit', report, as);
  return trace_id as string;
}

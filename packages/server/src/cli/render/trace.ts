import type { Output } from '@mem-service/contract';
import { shortIds } from '../trace-ids.ts';
import type { AnswerItem } from './columns.ts';
import { entryLabel } from './entry.ts';
import { change, cost, counted, duration } from './numbers.ts';
import { outcomeMark, outcomeText, refText } from './outcome-name.ts';
import { attributesText, sessionNodes, whoseText } from './session.ts';
import { brief, cut, fit, isTerminal, pad, paint, type Screen, show, when, whenOn, widthOf } from './text.ts';
import { branch, type TreeNode, tree } from './tree.ts';

type TraceAnswer = Output<'traces.read'>;

const TEXT_LENGTH = 240;
const HASH_LENGTH = 12;

/** One trace as a tree: task, answer, reads, actions and changes. */
export function trace(item: AnswerItem, screen: Screen): string {
  const sealed = item as TraceAnswer;
  const { llm_calls, spans } = sealed.session_metadata;
  const head = `trace ${paint(screen, 'yellow', show(sealed.trace_id))} ${outcomeText(sealed.outcome_ref, sealed.outcome_type, screen)}`;
  const attributes = attributesText(sealed.attributes);
  const nodes: TreeNode[] = [
    { text: timingText(sealed) },
    ...textNode('task', sealed.task_input),
    ...textNode('response', sealed.response_text),
    ...textNode('decision', sealed.decision_summary),
    ...sessionNodes({ ...sealed, llm_calls, spans, stale_reads: [] }, screen).map((node) => withTotals(node, sealed)),
    ...changeNodes(sealed.state_diff, screen),
    ...(attributes === '' ? [] : [{ text: `attributes ${attributes}` }]),
    ...(sealed.truncated ? [{ text: paint(screen, 'yellow', 'the session held more than is kept') }] : []),
    { text: paint(screen, 'dim', sealText(sealed)) },
  ];
  return tree(head, nodes, screen);
}

const textNode = (title: string, text: string | null): TreeNode[] =>
  text === null || text === '' ? [] : [{ text: `${title}: ${brief(text, TEXT_LENGTH)}` }];

function timingText(sealed: TraceAnswer): string {
  const { session_ended_at, session_duration_ms } = sealed;
  const length = session_duration_ms === null ? '' : `, after ${duration(session_duration_ms)}`;
  return `by ${whoseText(sealed)}, ended ${when(session_ended_at)}${length}`;
}

/** Adds the totals of all model calls to their title. */
function withTotals(
  node: TreeNode,
  { total_llm_calls, total_tokens, total_cost_usd, known_cost_usd }: TraceAnswer,
): TreeNode {
  if (total_llm_calls === 0 || node.text !== counted(total_llm_calls, 'LLM call')) return node;
  const known = total_cost_usd === null && known_cost_usd !== null ? ` (${cost(known_cost_usd)} known)` : '';
  return { ...node, text: `${node.text}: ${counted(total_tokens, 'token')}, ${cost(total_cost_usd)}${known}` };
}

function changeNodes(state: TraceAnswer['state_diff'], screen: Screen): TreeNode[] {
  const { entries_created, entries_updated, confidence_changes } = state;
  const written = [
    entries_created > 0 ? `${entries_created} created` : '',
    entries_updated > 0 ? `${entries_updated} updated` : '',
    confidence_changes.length > 0 ? `${confidence_changes.length} moved in confidence` : '',
  ].filter((text) => text !== '');
  const below = confidence_changes.map((one) => ({
    text: `${entryLabel(one, screen)}  ${change(one.before, one.after)}`,
  }));
  if (written.length === 0) return [];
  const title = `changed: ${written.join(', ')}`;
  return below.length === 0 ? [{ text: title }] : branch(title, below);
}

function sealText({ hash, sequence, key_id }: TraceAnswer): string {
  const signed = key_id === null ? '' : `, signed with key ${show(key_id)}`;
  return `sealed as ${show(hash).slice(0, HASH_LENGTH)}, number ${sequence} of its session${signed}`;
}

export function sealed(item: AnswerItem, screen: Screen): string {
  const { trace_id, causal_entries, hash } = item as TraceAnswer;
  const read = counted(causal_entries.length, 'entry', 'entries');
  return `sealed trace ${paint(screen, 'yellow', show(trace_id))} with ${read}, hash ${show(hash).slice(0, HASH_LENGTH)}\n`;
}

const REF_LENGTH = 40;
const TASK_LENGTH = 60;
const MIN_TASK = 20;

/** Agent and reference share a narrow line with the task. Elsewhere only the reference is cut. */
const nameLengths = ({ width }: Screen): readonly [agent: number, ref: number] =>
  width === undefined || width >= 120 ? [Number.POSITIVE_INFINITY, REF_LENGTH] : [16, 18];

/** One line for each trace, as in `git log --oneline`. `mem trace` accepts the short ids. */
export function traces(item: AnswerItem, screen: Screen): string {
  const list = item.traces as TraceAnswer[];
  const ids = shortIds(list.map(({ trace_id }) => show(trace_id)));
  const [agentLength, refLength] = nameLengths(screen);
  const agents = list.map(({ agent_id }) => cut(show(agent_id), agentLength));
  const refs = list.map(({ outcome_ref, outcome_type }) => cut(refText(outcome_ref, outcome_type), refLength));
  const times = list.map(({ created_at }) => whenOn(screen, created_at));
  const [agentWidth, refWidth, timeWidth] = [agents, refs, times].map(widest) as [number, number, number];
  return list
    .map((one, at) => {
      const [id, agent, ref] = [ids[at], pad(agents[at] ?? '', agentWidth), pad(refs[at] ?? '', refWidth)];
      const time = pad(times[at] ?? '', timeWidth);
      const facts = factsOf(one);
      const used = widthOf(`${id} ${time} ${agent} . ${ref}   ${facts}`);
      const room = isTerminal(screen) ? Math.max(MIN_TASK, (screen.width as number) - used) : TASK_LENGTH;
      const task = brief(one.task_input ?? one.decision_summary, room);
      const line = [
        paint(screen, 'yellow', id ?? ''),
        paint(screen, 'dim', time),
        paint(screen, 'cyan', agent),
        `${outcomeMark(one.outcome_type, screen)} ${ref}`,
        task === '' ? paint(screen, 'dim', facts) : `${task}  ${paint(screen, 'dim', facts)}`,
      ].join(' ');
      return `${fit(screen, line)}\n`;
    })
    .join('');
}

/** Not spread into Math.max: a list may have more items than a call takes arguments. */
const widest = (texts: readonly string[]) => texts.reduce((most, text) => Math.max(most, widthOf(text)), 0);

function factsOf({ causal_entries, session_duration_ms, total_llm_calls, total_cost_usd }: TraceAnswer): string {
  return [
    counted(causal_entries.length, 'entry', 'entries'),
    ...(session_duration_ms === null ? [] : [duration(session_duration_ms)]),
    ...(total_llm_calls === 0 ? [] : [cost(total_cost_usd)]),
  ].join(', ');
}

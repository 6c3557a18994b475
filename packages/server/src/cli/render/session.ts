import { JsonText, type Output } from '@mem-service/contract';
import { findCommand } from '../commands.ts';
import { nameOf } from './entry.ts';
import { change, cost, counted, duration, rounded } from './numbers.ts';
import { mark, outcomeName } from './outcome-name.ts';
import { spanNodes } from './spans.ts';
import { brief, type Colour, cut, oneLine, paint, type Screen, show } from './text.ts';
import { branch, type Node } from './tree.ts';

type Explanation = Output<'sessions.explain'>;
type Reading = Explanation['causal_entries'][number];
type Stale = Explanation['stale_reads'][number];

/** What a session is made of, open or sealed. */
export type Session = Pick<
  Explanation,
  | 'causal_entries'
  | 'external_contexts'
  | 'query_events'
  | 'tool_calls'
  | 'llm_calls'
  | 'spans'
  | 'error_events'
  | 'attempts'
  | 'stale_reads'
>;

const VALUE_LENGTH = 80;
const TEXT_LENGTH = 160;

export const whoseText = ({ agent_id, session_id }: { agent_id: unknown; session_id: unknown }): string =>
  session_id === null ? show(agent_id) : `${show(agent_id)} (session ${show(session_id)})`;

const membersOf = (json: unknown): [string, unknown][] => Object.entries(JsonText.of(json).value as object);
const textOf = (members: readonly [string, unknown][]): string =>
  members.map(([name, value]) => `${oneLine(name)}=${show(value)}`).join(', ');

/** Attributes as people write them: `team=payments`. */
export const attributesText = (attributes: unknown): string => textOf(membersOf(attributes));

/** What was asked for, without what would have been asked for anyway. */
function askedText(operation: string, parameters: unknown): string {
  const fields = findCommand(operation)?.fields ?? [];
  const isPreset = ([name, value]: [string, unknown]) =>
    JSON.stringify(fields.find((field) => field.name === name)?.fallback) === JSON.stringify(value);
  return textOf(membersOf(parameters).filter((member) => !isPreset(member)));
}

/** Lines that belong together are joined by two spaces; what is empty is left out. */
const line = (...parts: string[]): string => parts.filter((part) => part !== '').join('  ');
const took = (ms: unknown): string => (typeof ms === 'number' && ms > 0 ? duration(ms) : '');

export function sessionNodes(session: Session, screen: Screen): Node[] {
  const { external_contexts, query_events, tool_calls, llm_calls, spans, error_events, attempts } = session;
  const dim = (text: string) => paint(screen, 'dim', text);
  return [
    ...readNodes(session, screen),
    ...branch(
      'learnt elsewhere',
      external_contexts.map(({ label, summary, source }) => ({
        text: `${paint(screen, 'bold', show(label))}${source === null ? '' : ` (${show(source)})`}: ${brief(summary, TEXT_LENGTH)}`,
      })),
    ),
    ...branch(
      counted(query_events.length, 'query', 'queries'),
      query_events.map(({ operation, parameters, result_count, duration_ms }) => ({
        text: line(
          show(operation),
          `${result_count} found`,
          took(duration_ms),
          dim(cut(askedText(operation, parameters), VALUE_LENGTH)),
        ),
      })),
    ),
    ...branch(counted(tool_calls.length, 'action'), actionNodes(session, screen)),
    ...branch(
      counted(llm_calls.length, 'LLM call'),
      llm_calls.map((call) => ({ text: callText(call, screen) })),
    ),
    ...spanNodes(spans, screen),
    ...branch(
      counted(error_events.length, 'error'),
      error_events.map(({ operation, error_type, message }) => ({
        text: `${paint(screen, 'red', show(error_type))} in ${show(operation)}: ${brief(message, TEXT_LENGTH)}`,
      })),
    ),
    ...branch(
      counted(attempts.length, 'failed attempt'),
      attempts.map((attempt) => ({ text: attemptText(attempt, screen) })),
    ),
  ];
}

function readNodes({ causal_entries, stale_reads, attempts }: Session, screen: Screen): Node[] {
  const entries = causal_entries.map((reading) => ({
    attempt: reading.attempt,
    text: readingText(reading, { stale: stale_reads.find((stale) => isOf(stale, reading)), screen }),
  }));
  const title = `read ${counted(entries.length, 'entry', 'entries')}`;
  const tries = [...new Set(entries.map(({ attempt }) => attempt))];
  if (tries.length < 2 && attempts.length === 0) return branch(title, entries);
  // Readings count tries from 0, and attempts are closed as 1, 2 and so on.
  const groups = tries.map((attempt) => {
    const failed = attempts.some((closed) => closed.attempt === attempt + 1);
    const below = entries.filter((entry) => entry.attempt === attempt);
    return branch(`in attempt ${attempt + 1}${failed ? ', which failed' : ''}`, below);
  });
  return branch(title, groups.flat());
}

const isOf = (stale: Stale, { entity_path, key, branch, version }: Reading): boolean =>
  stale.entity_path === entity_path && stale.key === key && stale.branch === branch && stale.read_version === version;

const STATUS_COLOURS: Record<string, Colour> = { validated: 'green', contested: 'yellow', discredited: 'red' };

export const statusText = (status: string, screen: Screen): string =>
  paint(screen, STATUS_COLOURS[status] ?? 'dim', status);

function readingText(reading: Reading, { stale, screen }: { stale: Stale | undefined; screen: Screen }): string {
  const { version, confidence, evidence_status, success_count, failure_count, written_by, value } = reading;
  const tested = success_count + failure_count > 0 ? ` (${success_count} for, ${failure_count} against)` : '';
  return line(
    `${nameOf(reading, screen)} v${version}`,
    `${rounded(confidence)} ${statusText(evidence_status, screen)}${tested}`,
    `by ${show(written_by)}`,
    stale ? paint(screen, 'yellow', staleText(stale)) : '',
    value === undefined ? paint(screen, 'dim', '(its value is gone)') : brief(value, VALUE_LENGTH),
  );
}

/** What became of something since it was read. */
export function staleText({ current_version, changed_by, value_changed }: Stale): string {
  const by = changed_by === null ? '' : ` by ${show(changed_by)}`;
  if (current_version === null) return `STALE: gone since${by}`;
  return `STALE: v${current_version}${by} says ${value_changed ? 'something else' : 'the same'}`;
}

const actionNodes = ({ tool_calls }: Session, screen: Screen): Node[] =>
  tool_calls.map(({ tool_name, arguments: given, result_summary, duration_ms, success }, at) => ({
    text: line(
      `#${at} ${mark(success, screen)} ${paint(screen, 'bold', show(tool_name))}`,
      took(duration_ms),
      brief(result_summary, TEXT_LENGTH),
      show(given) === '{}' ? '' : paint(screen, 'dim', brief(given, VALUE_LENGTH)),
    ),
  }));

function callText(call: Explanation['llm_calls'][number], screen: Screen): string {
  const { model, provider, input_tokens, output_tokens, cost_usd, latency_ms } = call;
  return line(
    `${paint(screen, 'bold', show(model))}${provider === '' ? '' : ` (${show(provider)})`}`,
    `${input_tokens} in, ${output_tokens} out`,
    took(latency_ms),
    cost(cost_usd),
  );
}

function attemptText(closed: Explanation['attempts'][number], screen: Screen): string {
  const { attempt, outcome_type, summary, action_indices } = closed;
  const actions = action_indices.length === 0 ? '' : ` (${action_indices.map((at) => `#${at}`).join(', ')})`;
  return `attempt ${attempt}: ${outcomeName(outcome_type, screen)}${actions}${summary === null ? '' : `: ${brief(summary, TEXT_LENGTH)}`}`;
}

/** How a confidence moved, in the words of the service but for the numbers, which stand by themselves. */
export function plainWhy(why: string, before: number | null, after: number | null): string {
  const end = `: ${rounded(after)}`;
  const told = show(why).replace(`: ${change(before, after)}`, '');
  return told.endsWith(end) ? told.slice(0, -end.length) : told;
}

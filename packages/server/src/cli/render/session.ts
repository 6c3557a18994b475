import { JsonText } from '@mem-service/contract';
import { findCommand } from '../commands.ts';
import { cost, counted, duration } from './numbers.ts';
import { mark, outcomeName } from './outcome-name.ts';
import type { ExplanationAnswer } from './readings.ts';
import { line, readNodes, VALUE_LENGTH } from './readings.ts';
import { spanNodes } from './spans.ts';
import { brief, cut, oneLine, paint, type Screen, show } from './text.ts';
import { branch, type TreeNode } from './tree.ts';

/** The content of a session, open or sealed. */
export type SessionContent = Pick<
  ExplanationAnswer,
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

const TEXT_LENGTH = 160;

export const whoseText = ({ agent_id, session_id }: { agent_id: unknown; session_id: unknown }): string =>
  session_id === null ? show(agent_id) : `${show(agent_id)} (session ${show(session_id)})`;

const membersOf = (json: unknown): [string, unknown][] => Object.entries(JsonText.of(json).value as object);
const textOf = (members: readonly [string, unknown][]): string =>
  members.map(([name, value]) => `${oneLine(name)}=${show(value)}`).join(', ');

/** Attributes as users write them: `team=payments`. */
export const attributesText = (attributes: unknown): string => textOf(membersOf(attributes));

/** The parameters of a query, without default values. */
function askedText(operation: string, parameters: unknown): string {
  const fields = findCommand(operation)?.fields ?? [];
  const isPreset = ([name, value]: [string, unknown]) =>
    JSON.stringify(fields.find((field) => field.name === name)?.fallback) === JSON.stringify(value);
  return textOf(membersOf(parameters).filter((member) => !isPreset(member)));
}

const took = (ms: unknown): string => (typeof ms === 'number' && ms > 0 ? duration(ms) : '');

export function sessionNodes(session: SessionContent, screen: Screen): TreeNode[] {
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

const actionNodes = ({ tool_calls }: SessionContent, screen: Screen): TreeNode[] =>
  tool_calls.map(({ tool_name, arguments: given, result_summary, duration_ms, success }, at) => ({
    text: line(
      `#${at} ${mark(success, screen)} ${paint(screen, 'bold', show(tool_name))}`,
      took(duration_ms),
      brief(result_summary, TEXT_LENGTH),
      show(given) === '{}' ? '' : paint(screen, 'dim', brief(given, VALUE_LENGTH)),
    ),
  }));

function callText(call: ExplanationAnswer['llm_calls'][number], screen: Screen): string {
  const { model, provider, input_tokens, output_tokens, cost_usd, latency_ms } = call;
  return line(
    `${paint(screen, 'bold', show(model))}${provider === '' ? '' : ` (${show(provider)})`}`,
    `${input_tokens} in, ${output_tokens} out`,
    took(latency_ms),
    cost(cost_usd),
  );
}

function attemptText(closed: ExplanationAnswer['attempts'][number], screen: Screen): string {
  const { attempt, outcome_type, summary, action_indices } = closed;
  const actions = action_indices.length === 0 ? '' : ` (${action_indices.map((at) => `#${at}`).join(', ')})`;
  return `attempt ${attempt}: ${outcomeName(outcome_type, screen)}${actions}${summary === null ? '' : `: ${brief(summary, TEXT_LENGTH)}`}`;
}

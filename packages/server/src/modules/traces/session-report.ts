import { type Input, invalidInput, type JsonText } from '@mem-service/contract';
import { fromIso, toIso, type Work } from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import type { OpenSession } from '../sessions/index.ts';
import { pricesOf } from './prices.ts';
import { type Attributes, mergeAttributes, stampAttributes } from './rules/attributes.ts';
import { normalizeCalls } from './rules/llm-calls.ts';
import { redactText } from './rules/redact.ts';
import { redactJson } from './rules/redact-json.ts';
import { normalizeSpan } from './rules/spans.ts';
import type { TraceHeader, TracePart } from './shape.ts';

type ReportedOutcome = Input<'outcomes.commit'>;
type ReportedTrace = Input<'traces.create'>;
type ReportedAction = ReportedOutcome['tool_calls'][number];
type ReportedSpan = NonNullable<ReportedOutcome['session_metadata']['spans']>[number];

/** What the caller reports about its session, redacted and ready to be sealed. */
export type SessionReport = {
  header: Omit<TraceHeader, 'final_action_index' | 'session_started_at' | 'session_ended_at' | 'truncated'>;
  parts: TracePart[];
  /** How many actions the session has in all, and their names in order. */
  actions: number;
  actionNames: string[];
};

export const redactOrNull = (text: string | null | undefined): string | null =>
  text ? redactText(text) : (text ?? null);

const plainOf = (json: JsonText | undefined): unknown => json?.value;

type ReportedContext = { label: string; summary: string; source?: string | null | undefined };

export const toContext = ({ label, summary, source }: ReportedContext) => ({
  label: redactText(label),
  summary: redactText(summary),
  source: redactOrNull(source),
});

/** An action without secrets. The names of its arguments are the caller's. */
export function toAction(call: ReportedAction, now: number): Record<string, unknown> & { tool_name: string } {
  const { arguments: given, choices, started_at, source, action_key, ...rest } = call;
  return {
    ...rest,
    result_summary: redactText(call.result_summary),
    source: redactOrNull(source),
    ...(action_key === undefined ? {} : { action_key: redactText(action_key) }),
    arguments: redactJson(plainOf(given) ?? {}),
    ...(choices === undefined ? {} : { choices: redactJson(plainOf(choices)) }),
    started_at: toIso(started_at === undefined ? now : fromIso(started_at)),
  };
}

export function toSpan(work: Work, span: Partial<ReportedSpan>): Record<string, unknown> & { span_id: string } {
  const { ids, settings } = work.services;
  const { input, output, ...rest } = span;
  return normalizeSpan(
    {
      ...rest,
      span_id: span.span_id ?? ids.next(work.now),
      ...(input === undefined ? {} : { input: plainOf(input) }),
      ...(output === undefined ? {} : { output: plainOf(output) }),
    },
    { maxChars: settings.span_payload_max_chars },
  );
}

function toAttempt(
  { outcome_type, summary, action_indices }: ReportedOutcome['attempts'][number],
  i: number,
  now: number,
): TracePart {
  const data = {
    attempt: i + 1,
    outcome_type,
    summary: redactOrNull(summary),
    action_indices,
    recorded_at: toIso(now),
  };
  return { kind: 'attempt', data };
}

/** What a report takes from the records of its session. */
export type RecordedBefore = { attributes: string; actionNames: readonly string[]; model: string | undefined };

export const NOTHING_RECORDED: RecordedBefore = { attributes: '{}', actionNames: [], model: undefined };

/** Parses what is needed, in turns with other requests: records may be long. */
export async function recordedBefore({ row, items }: Pick<OpenSession, 'row' | 'items'>): Promise<RecordedBefore> {
  const actionNames: string[] = [];
  for (const { kind, data } of items) {
    if (kind !== 'action') continue;
    await pause();
    actionNames.push(String((JSON.parse(data) as { tool_name: unknown }).tool_name));
  }
  const call = items.findLast(({ kind }) => kind === 'llm_call');
  const model = call && (JSON.parse(call.data) as { model: string }).model;
  return { attributes: row?.attributes ?? '{}', actionNames, model };
}

/** Builds the report that ends a session. Throws on invalid input, before anything is written. */
export function buildSessionReport(
  work: Work,
  input: ReportedOutcome | ReportedTrace,
  before: RecordedBefore,
): SessionReport {
  const { attributes: reported, llm_calls: calls, spans = [], attempts = [], ...metadata } = input.session_metadata;
  const llm_calls = normalizeCalls([...(calls ?? []), ...input.llm_calls], {
    prices: pricesOf(work.services.settings),
    now: toIso(work.now),
    newId: () => work.services.ids.next(work.now),
  });
  const actions = input.tool_calls.map((call) => toAction(call, work.now));
  const actionNames = [...before.actionNames, ...actions.map(({ tool_name }) => tool_name)];
  const bags = [JSON.parse(before.attributes), reported ?? {}, input.attributes];
  return {
    header: {
      task_input: redactOrNull(input.task_input),
      response_text: redactOrNull(input.response_text),
      decision_summary: redactOrNull(input.decision_summary),
      attributes: attributesOf(input, bags, {
        model: metadata.model ?? llm_calls.at(-1)?.model ?? before.model,
        client: metadata.client_name,
        source: metadata.source,
      }),
      session_metadata: redactJson(metadata) as Record<string, unknown>,
    },
    parts: [
      ...[...attempts, ...('attempts' in input ? input.attempts : [])].map((one, i) => toAttempt(one, i, work.now)),
      ...actions.map((data): TracePart => ({ kind: 'action', data })),
      ...llm_calls.map((data): TracePart => ({ kind: 'llm_call', data })),
      ...spans.map((span): TracePart => ({ kind: 'span', data: toSpan(work, span) })),
    ],
    actions: actionNames.length,
    actionNames,
  };
}

/** A problem of the attributes as a whole names none of them. */
export const attributeProblem = ({ path, message }: { path: string; message: string }) => ({
  path: path === '' ? 'attributes' : `attributes.${path}`,
  message,
});

/** Their names are short labels; their values may hold anything. */
export const redactAttributes = (attributes: Attributes): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [key, typeof value === 'string' ? redactText(value) : value]),
  );

type Stamped = { model: unknown; client: unknown; source: unknown };

/** The way that the session took to the service; a plain caller of the API says nothing. */
const sourceOf = (given: unknown) =>
  typeof given === 'string' && /^[a-z][a-z0-9_-]{0,31}$/.test(given) ? given : 'api';

function attributesOf(
  input: ReportedOutcome | ReportedTrace,
  bags: Record<string, unknown>[],
  { model, client, source }: Stamped,
) {
  const merged = mergeAttributes(bags);
  if ('errors' in merged) throw invalidInput(merged.errors.map(attributeProblem));
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value.slice(0, 256) : undefined);
  const { outcome_type, branch } = input;
  return stampAttributes(redactAttributes(merged.attributes), {
    source: sourceOf(source),
    model: text(model),
    client: text(client),
    outcome_type: outcome_type ?? undefined,
    memory_branch: branch === 'main' ? undefined : branch,
  });
}

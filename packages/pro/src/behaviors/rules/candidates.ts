import type { judgeShapes } from '@mem-service/server/module';
import type { JudgedTrace } from '../../evaluation/rules/judged-trace.ts';
import { type LiteralPart, literalIn } from './literal.ts';

/** Something that a trace has, in words and as a check that holds of it. */
export type FeatureCandidate = {
  kind: 'tool' | 'order' | 'error' | 'memory' | 'outcome' | 'model' | 'attribute';
  feature: string;
  check: judgeShapes.TraceCheck;
};

const MAX_TOOLS = 30;
const MAX_ERRORS = 10;
const MAX_READS = 30;
const MAX_ATTRIBUTES = 30;
const MAX_MODELS = 5;
const MAX_VALUE_CHARS = 200;

/** What an example has, in the order in which it is worth more: what was done before what it is called. */
export function* candidatesOf(trace: JudgedTrace): Generator<void, FeatureCandidate[]> {
  const errors = yield* errorsIn(trace);
  return [
    ...toolsIn(trace),
    ...orderIn(trace),
    ...errors,
    ...readsIn(trace),
    ...modelsIn(trace),
    ...attributesIn(trace),
    ...outcomeOf(trace),
  ];
}

/** `*` in a name would stand for anything. */
const isPlain = (tool: string): boolean => tool !== '' && tool.length <= 256 && !tool.includes('*');

/** Names of the tools that a trace calls. */
export const toolNames = ({ steps }: JudgedTrace): string[] =>
  steps.flatMap(({ kind, name }) => (kind === 'tool' && isPlain(name) ? [name] : []));

export const withoutTool = (tool: string): FeatureCandidate => ({
  kind: 'tool',
  feature: `does not call ${tool}`,
  check: { check: 'tool_forbidden', tool },
});

const called = (tool: string, min = 1): judgeShapes.SimpleCheck => ({
  ...{ check: 'tool_required' as const, tool, min, succeeded: false },
});

function toolsIn(trace: JudgedTrace): FeatureCandidate[] {
  const times = new Map<string, number>();
  for (const name of toolNames(trace)) times.set(name, (times.get(name) ?? 0) + 1);
  return [...times].slice(0, MAX_TOOLS).flatMap(([tool, n]): FeatureCandidate[] => [
    { kind: 'tool', feature: `calls ${tool}`, check: called(tool) },
    ...[2, 3, 5, 10]
      .filter((min) => n >= min)
      .map(
        (min): FeatureCandidate => ({
          ...{ kind: 'tool', feature: `calls ${tool} ${min} times or more`, check: called(tool, min) },
        }),
      ),
  ]);
}

/** Tools that follow each other, by the first call of each. */
function orderIn(trace: JudgedTrace): FeatureCandidate[] {
  const names = [...new Set(toolNames(trace))].slice(0, MAX_TOOLS);
  return names.slice(1).map((tool, i): FeatureCandidate => {
    const before = names[i] as string;
    const order = { check: 'order' as const, tools: [before, tool] };
    return {
      kind: 'order',
      feature: `calls ${before} before ${tool}`,
      check: { check: 'all_of', of: [called(before), called(tool), order] },
    };
  });
}

const equals = (path: string, value: string | number | boolean): judgeShapes.SimpleCheck => ({
  ...{ check: 'json_path', path, op: 'equals', value, every: false, not: false },
});

const found = (where: 'errors' | 'tool_results', pattern: string): judgeShapes.SimpleCheck => ({
  ...{ check: 'pattern', in: where, pattern, ignore_case: false, not: false },
});

/** Those that differ, until there are as many as are kept. */
function* literals(texts: readonly string[]): Generator<void, LiteralPart[]> {
  const parts = new Map<string, LiteralPart>();
  for (const text of texts) {
    yield;
    const part = literalIn(text);
    if (part) parts.set(part.shown, part);
    if (parts.size === MAX_ERRORS) break;
  }
  return [...parts.values()];
}

function* errorsIn({ document, spans }: JudgedTrace): Generator<void, FeatureCandidate[]> {
  const texts = [
    ...document.error_events.map(({ message }) => String(message ?? '')),
    ...spans.flatMap(({ error }) => error ?? []),
  ];
  const failed = document.tool_calls.filter(({ success }) => success === false);
  const results = failed.flatMap(({ result_summary }) => (typeof result_summary === 'string' ? [result_summary] : []));
  const errors = (yield* literals(texts)).map(
    (text): FeatureCandidate => ({
      ...{ kind: 'error', feature: `has the error “${text.shown}”`, check: found('errors', text.pattern) },
    }),
  );
  const inResults = (yield* literals(results)).map(
    (text): FeatureCandidate => ({
      ...{ kind: 'error', feature: `a tool that failed said “${text.shown}”` },
      check: found('tool_results', text.pattern),
    }),
  );
  const anyFailed: FeatureCandidate = {
    ...{ kind: 'error', feature: 'a tool failed', check: equals('$.tool_calls[*].success', false) },
  };
  return [...errors, ...inResults, ...(failed.length > 0 ? [anyFailed] : [])].slice(0, MAX_ERRORS);
}

function readsIn({ reads }: JudgedTrace): FeatureCandidate[] {
  const shown = reads.filter(({ branch }) => branch === 'main').slice(0, MAX_READS);
  const candidates = shown.flatMap(({ entity_path, key, version }): FeatureCandidate[] => [
    {
      kind: 'memory',
      feature: `reads version ${version} of ${entity_path}/${key}`,
      check: { check: 'memory_read', entity_path, key, version },
    },
    { kind: 'memory', feature: `reads ${entity_path}/${key}`, check: { check: 'memory_read', entity_path, key } },
  ]);
  return [...new Map(candidates.map((one) => [one.feature, one])).values()];
}

function modelsIn({ document }: JudgedTrace): FeatureCandidate[] {
  const calls = document.session_metadata.llm_calls as readonly Record<string, unknown>[];
  const models = [...new Set(calls.flatMap(({ model }) => (typeof model === 'string' ? [model] : [])))];
  return models.slice(0, MAX_MODELS).map((model) => ({
    ...{ kind: 'model', feature: `asks the model ${model}` },
    check: equals('$.session_metadata.llm_calls[*].model', model),
  }));
}

/** The service stamps the outcome onto each trace: it is how a run ended, as `outcomeOf` has it, not what it did. */
const isOutcome = (key: string): boolean => key === 'outcome_type';

function attributesIn({ document }: JudgedTrace): FeatureCandidate[] {
  const named = Object.entries(document.attributes).filter(
    ([key]) => !isOutcome(key) && !/['\\]/.test(key) && key.length <= 128,
  );
  return named.slice(0, MAX_ATTRIBUTES).flatMap(([key, value]): FeatureCandidate[] => {
    const isShort = typeof value === 'string' && value.length <= MAX_VALUE_CHARS;
    if (!isShort && typeof value !== 'number' && typeof value !== 'boolean') return [];
    const feature = `has the attribute ${key}: ${String(value)}`;
    return [{ kind: 'attribute', feature, check: equals(`$.attributes['${key}']`, value) }];
  });
}

function outcomeOf({ outcome_type }: JudgedTrace): FeatureCandidate[] {
  if (outcome_type === null) return [];
  const type = outcome_type as Extract<judgeShapes.SimpleCheck, { check: 'outcome' }>['in'][number];
  const check = { check: 'outcome' as const, in: [type], not: false };
  return [{ kind: 'outcome', feature: `has the outcome ${outcome_type}`, check }];
}

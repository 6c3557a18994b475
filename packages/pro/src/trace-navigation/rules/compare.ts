import { align } from './align.ts';
import type { AlignedStep, ComparableStep, ComparableTrace } from './steps.ts';

/** The same step in each trace, undefined where one did not take it. */
type StepColumn = { kind: AlignedStep['kind']; name: string; of: (ComparableStep | undefined)[] };

const nameOf = ({ kind, name }: Pick<StepColumn, 'kind' | 'name'>): string => `${kind} ${name}`;

/** Puts the steps of traces side by side, each trace beside those before it. */
export function* alignSteps(traces: readonly (readonly ComparableStep[])[]): Generator<void, AlignedStep[]> {
  let columns: StepColumn[] = [];
  for (const [no, steps] of traces.entries()) {
    const pairs = yield* align(columns.map(nameOf), steps.map(nameOf));
    const known = columns;
    columns = pairs.map(({ left, right }) => {
      const taken = right === null ? undefined : (steps[right] as ComparableStep);
      const before = left === null ? undefined : (known[left] as StepColumn);
      const { kind, name } = (before ?? taken) as StepColumn | ComparableStep;
      const of = before?.of ?? Array.from({ length: no }, () => undefined);
      return { kind, name, of: [...of, taken] };
    });
    yield;
  }
  return columns.map(({ kind, name, of }, no) => {
    const shown = of.map((step) => step?.shown ?? null);
    return { no, kind, name, of: shown, differs: differencesOf(kind, of) };
  });
}

function differencesOf(kind: AlignedStep['kind'], of: readonly (ComparableStep | undefined)[]): AlignedStep['differs'] {
  const taken = of.filter((step) => step !== undefined);
  const isSplit = (partOf: (step: ComparableStep) => unknown) => new Set(taken.map(partOf)).size > 1;
  const differs: AlignedStep['differs'] = [];
  if (taken.length < of.length) differs.push('missing');
  if (isSplit(({ shown }) => shown.version)) differs.push('version');
  if (isSplit(({ given }) => given)) differs.push('arguments');
  if (isSplit(({ got }) => got)) differs.push('result');
  if (kind !== 'outcome' && isSplit(({ shown }) => shown.failed)) differs.push('failure');
  if (kind === 'outcome' && isSplit(({ shown }) => shown.note)) differs.push('outcome');
  return differs;
}

const FIELDS = [
  'agent_id',
  'branch',
  'outcome_type',
  'session_duration_ms',
  'total_llm_calls',
  'total_tokens',
  'total_cost_usd',
  'known_cost_usd',
] as const;

/** Facts about traces that are not the same in all of them. */
export function differingFacts(traces: readonly ComparableTrace[]): { field: string; values: unknown[] }[] {
  const facts = FIELDS.map((field) => ({ field, values: traces.map((trace) => trace[field] as unknown) }));
  return facts.filter(({ values }) => new Set(values).size > 1);
}

type MemoryRow = { entity_path: string; key: string; branch: string; versions: (number | null)[]; differs: boolean };

/** The entries that traces read, each with the last version that a trace was shown. */
export function memoryOf(traces: readonly ComparableTrace[]): MemoryRow[] {
  const rows = new Map<string, MemoryRow>();
  for (const [no, { causal_entries }] of traces.entries())
    for (const { entity_path, key, branch, version } of causal_entries) {
      const name = JSON.stringify([entity_path, key, branch]);
      const row = rows.get(name) ?? { entity_path, key, branch, versions: traces.map(() => null), differs: false };
      row.versions[no] = version;
      rows.set(name, row);
    }
  for (const row of rows.values()) row.differs = new Set(row.versions).size > 1;
  return [...rows.values()];
}

type ActionRow = { tool_name: string; calls: number[]; failed: number[] };

/** How often traces called each tool. */
export function actionsOf(traces: readonly ComparableTrace[]): ActionRow[] {
  const rows = new Map<string, ActionRow>();
  for (const [no, { tool_calls }] of traces.entries())
    for (const { tool_name, success } of tool_calls) {
      const row = rows.get(tool_name) ?? { tool_name, calls: traces.map(() => 0), failed: traces.map(() => 0) };
      row.calls[no] = (row.calls[no] ?? 0) + 1;
      if (!success) row.failed[no] = (row.failed[no] ?? 0) + 1;
      rows.set(tool_name, row);
    }
  return [...rows.values()];
}

const STEP_WORDS: Record<AlignedStep['kind'], string> = {
  read: 'read',
  query: 'query',
  tool: 'call of',
  llm: 'model call',
  span: 'span',
  context: 'context',
  error: 'error',
  attempt: 'failed',
  outcome: 'the',
};

/** Why a step is where traces part, in a sentence. */
export function becauseOf({ kind, name, of, differs }: AlignedStep, ids: readonly string[]): string {
  const step = `${STEP_WORDS[kind]} ${name}`;
  if (differs.includes('missing')) {
    const without = ids.filter((_, i) => of[i] === null);
    return `${step}: not in ${without.join(', ')}`;
  }
  const versions = of.map((one) => one?.version);
  if (differs.includes('version')) return `${step}: version ${versions.join(', ')}`;
  return `${step}: ${differs.map((one) => `${one === 'arguments' ? 'other' : 'another'} ${one}`).join(' and ')}`;
}

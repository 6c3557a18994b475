import type { SealedRow, SpokenPart, TraceHeader } from '@mem-service/server/module';
import { attributeToken, factToken, spanMark, spanToken } from './tokens.ts';

/** What is known of a trace without reading its parts: for facets and for rows of answers. */
export type TraceFacets = {
  outcome_type: string | null;
  attributes: Record<string, unknown>;
  models: string[];
  tools: string[];
  span_names: string[];
  span_kinds: string[];
  has_error: boolean;
  span_count: number;
  error_count: number;
  action_count: number;
  llm_calls: number;
  tokens: number;
  known_cost_usd: number | null;
};

/** What is put into the index for a trace: texts that are split into words, and words that stand for facts. */
export type TraceDocument = {
  seq: number;
  values: unknown[];
  tokens: string[];
  facts: TraceFacets;
  duration_ms: number | null;
  cost_usd: number | null;
};

type PartData = Readonly<Record<string, unknown>>;
type CallCost = { input_tokens: number; output_tokens: number; cost_usd: number | null };
type CallTotals = {
  total_llm_calls: number;
  total_tokens: number;
  total_cost_usd: number | null;
  known_cost_usd: number | null;
};

/** Distinct names of each kind that a trace is found by. */
const MAX_NAMES = 200;
/** Characters of parts that are split into words: more than an index takes of one trace. */
const MAX_CHARS = 256 * 1024;

const textIn = (data: PartData, name: string): string => (typeof data[name] === 'string' ? (data[name] as string) : '');

/** Collects what a trace is found by. */
export class DocumentBuilder {
  readonly #row: SealedRow;
  readonly #header: TraceHeader;
  readonly #values: unknown[] = [];
  readonly #names = { models: new Set<string>(), tools: new Set<string>(), spans: new Map<string, Set<string>>() };
  readonly #spanIds = new Set<string>();
  readonly #calls: CallCost[] = [];
  #chars = 0;
  #errors = 0;
  #actions = 0;
  #isFailed = false;

  constructor(row: SealedRow) {
    this.#row = row;
    this.#header = JSON.parse(row.header) as TraceHeader;
    const { task_input, response_text, decision_summary, attributes } = this.#header;
    this.#values.push(task_input, response_text, decision_summary, row.outcome_ref, attributes);
  }

  /** Further texts would not be indexed. */
  get isFull(): boolean {
    return this.#chars > MAX_CHARS;
  }

  add({ kind, data }: SpokenPart): void {
    if (data === null) return;
    const part = JSON.parse(data) as PartData;
    if (kind === 'action') this.#addAction(part);
    else if (kind === 'llm_call') this.#addCall(part);
    else if (kind === 'span') this.#addSpan(part);
    else if (kind === 'error') this.#addError(part);
    else this.#say(data.length, part.label, part.summary);
  }

  #say(chars: number, ...values: unknown[]): void {
    if (this.isFull) return;
    this.#chars += chars;
    this.#values.push(...values);
  }

  #addAction(part: PartData): void {
    this.#actions++;
    addName(this.#names.tools, textIn(part, 'tool_name'));
    if (part.success === false) this.#isFailed = true;
    this.#say(lengthOf(part.arguments, part.result_summary), part.tool_name, part.arguments, part.result_summary);
  }

  #addCall(part: PartData): void {
    addName(this.#names.models, textIn(part, 'model'));
    this.#calls.push(part as unknown as CallCost);
    this.#spanIds.add(textIn(part, 'call_id'));
    this.#addSpanName('llm', textIn(part, 'model'));
    if (textIn(part, 'error') !== '') this.#isFailed = true;
    this.#say(lengthOf(part.error), part.model, part.error);
  }

  #addSpan(part: PartData): void {
    this.#spanIds.add(textIn(part, 'span_id'));
    addName(this.#names.models, textIn(part, 'model'));
    this.#addSpanName(textIn(part, 'kind') || 'agent', textIn(part, 'name'));
    if (part.status === 'error') this.#isFailed = true;
    const texts = [part.name, part.input, part.output, part.error, part.attributes];
    this.#say(lengthOf(...texts), ...texts);
  }

  #addSpanName(kind: string, name: string): void {
    const names = this.#names.spans.get(kind) ?? new Set<string>();
    this.#names.spans.set(kind, names);
    addName(names, name);
  }

  #addError(part: PartData): void {
    this.#errors++;
    this.#isFailed = true;
    this.#say(lengthOf(part.message), part.operation, part.error_type, part.message);
  }

  /** `totalsOf` adds up calls, `wordsIn` gives the words of a name as the index has them. */
  finish(totalsOf: (calls: readonly CallCost[]) => CallTotals, wordsIn: (name: string) => string[]): TraceDocument {
    const { agent_id, outcome_type, seq } = this.#row;
    const { attributes, session_started_at, session_ended_at } = this.#header;
    const totals = totalsOf(this.#calls);
    const facts = this.#facts(totals);
    const tokens = [
      factToken('agent', agent_id),
      factToken('error', String(facts.has_error)),
      ...(outcome_type === null ? [] : [factToken('outcome', outcome_type)]),
      ...facts.models.map((model) => factToken('model', model)),
      ...facts.tools.map((tool) => factToken('tool', tool)),
      ...Object.entries(attributes).map(([key, value]) => attributeToken(key, value)),
      ...this.#spanTokens(wordsIn),
    ];
    return {
      ...{ seq, values: this.#values, tokens, facts },
      duration_ms: session_started_at === null ? null : Math.max(0, session_ended_at - session_started_at),
      cost_usd: totals.total_cost_usd,
    };
  }

  #facts({ total_llm_calls, total_tokens, known_cost_usd }: CallTotals): TraceFacets {
    const { models, tools, spans } = this.#names;
    return {
      ...{ outcome_type: this.#row.outcome_type, attributes: this.#header.attributes },
      ...{ models: [...models], tools: [...tools] },
      span_names: [...new Set([...spans.values()].flatMap((names) => [...names]))].slice(0, MAX_NAMES),
      span_kinds: [...spans.keys()],
      has_error: this.#isFailed,
      ...{ span_count: this.#spanIds.size, error_count: this.#errors, action_count: this.#actions },
      ...{ llm_calls: total_llm_calls, tokens: total_tokens, known_cost_usd },
    };
  }

  /** Names of spans as phrases, once for any kind and once for their own. */
  #spanTokens(wordsIn: (name: string) => string[]): string[] {
    const tokens: string[] = [];
    for (const [kind, names] of this.#names.spans)
      for (const name of names) {
        const words = wordsIn(name);
        for (const of of [undefined, kind]) tokens.push(spanMark(of), ...words.map((word) => spanToken(word, of)));
      }
    return tokens;
  }
}

function addName(names: Set<string>, name: string): void {
  if (name !== '' && names.size < MAX_NAMES) names.add(name);
}

const lengthOf = (...values: readonly unknown[]): number =>
  values.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0)),
    0,
  );

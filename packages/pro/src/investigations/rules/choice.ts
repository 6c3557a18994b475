import { objectIn } from '../../evaluation/rules/json-answer.ts';

export type ChoiceOptions = {
  by?: string[];
  trace_id?: string;
  judge_id?: string;
  since?: string;
  until?: string;
};
const NAMES = ['segments', 'attribution', 'divergence', 'memory_changes'] as const;
type ChosenStep = { step: (typeof NAMES)[number]; reason: string; options: ChoiceOptions };
/** A step with its options, or the answer. */
export type ModelChoice = ChosenStep | { answer: string };

const MAX_TEXT = 4_000;

type ChoiceMembers = Readonly<Record<string, unknown>>;

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, MAX_TEXT).toWellFormed() : undefined;

/** Reads what a model chose; in words why that cannot be used. */
export function readChoice(text: string, maySearch: boolean): { taken: ModelChoice } | { problem: string } {
  const answer = objectIn(text, (members) => 'step' in members || 'answer' in members);
  if (!answer) return { problem: 'it is no JSON object' };
  const given = textIn(answer.answer);
  if (given !== undefined) return { taken: { answer: given } };
  const step = NAMES.find((name) => name === answer.step);
  if (!maySearch || step === undefined) return { problem: 'it has neither a step that there is nor an answer' };
  return { taken: { step, reason: textIn(answer.reason) ?? '', options: optionsIn(answer.options) } };
}

function optionsIn(given: unknown): ChoiceOptions {
  const { by, trace_id, judge_id, since, until } = (
    typeof given === 'object' && given !== null ? given : {}
  ) as ChoiceMembers;
  const names = (Array.isArray(by) ? by : []).filter((name): name is string => typeof name === 'string').slice(0, 10);
  const known = { trace_id: textIn(trace_id), judge_id: textIn(judge_id), since: timeIn(since), until: timeIn(until) };
  const kept = Object.entries(known).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(kept), ...(names.length > 0 ? { by: names } : {}) };
}

function timeIn(value: unknown): string | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

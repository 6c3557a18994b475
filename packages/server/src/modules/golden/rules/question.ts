import { OUTCOME_TYPES } from '../../outcomes/rules/outcome-types.ts';
import { questionTime } from '../../recall/rules/question-time.ts';

/** A question of a session, with the entries that it showed. */
export type AskedQuestion = {
  trace_seq: number;
  trace_no: number;
  visible_to: string;
  question: string;
  asked_with: 'retrieve' | 'search';
  asked_path: string | null;
  below: number;
  branch: string;
  at: number;
  entries: ReadonlySet<number>;
};

type AskedPart = { seq: number; no: number; visible_to: string; data: string };
type AskedData = {
  operation: string;
  parameters?: Record<string, unknown>;
  shown?: readonly number[];
  occurred_at?: string;
};

/** A longer text is no question. */
const MAX_QUESTION = 1_000;

/** Filters that make it another question: asked again, it would not be answered from the same entries. */
const NARROWING = ['agent_id', 'memory_type', 'min_confidence', 'max_confidence', 'since', 'until', 'pattern_ref'];

/** Undefined for a query that cannot be asked again later with the same meaning. */
export function questionIn({ seq, no, visible_to, data }: AskedPart): AskedQuestion | undefined {
  const { operation, parameters = {}, shown = [], occurred_at } = JSON.parse(data) as AskedData;
  const { query, entity_path, include_descendants, branch } = parameters;
  if ((operation !== 'retrieve' && operation !== 'search') || typeof query !== 'string') return undefined;
  const question = query.trim().replaceAll(/\s+/g, ' ');
  const at = Date.parse(String(occurred_at));
  if (question === '' || question.length > MAX_QUESTION || Number.isNaN(at)) return undefined;
  if (NARROWING.some((name) => parameters[name] !== undefined)) return undefined;
  if (questionTime(question, at).time !== null) return undefined;
  return {
    trace_seq: seq,
    trace_no: no,
    visible_to,
    question,
    asked_with: operation,
    asked_path: typeof entity_path === 'string' ? entity_path : null,
    below: Number(include_descendants === true),
    branch: typeof branch === 'string' ? branch : 'main',
    at,
    // Entries and versions by turns.
    entries: new Set(shown.filter((_, at) => at % 2 === 0)),
  };
}

export type GoldenName = Pick<AskedQuestion, 'question' | 'asked_path' | 'below' | 'branch'> & {
  agent_id: string;
  visible_to: string;
  entry_id: number;
};

/** The same question of the same agent about the same paths has the same name, whatever its letters are. */
export function goldenName(of: GoldenName): string {
  const { agent_id, visible_to, branch, asked_path, below, question, entry_id } = of;
  return JSON.stringify([agent_id, visible_to, branch, asked_path, below, question.toLowerCase(), entry_id]);
}

export const isGoodOutcome = (type: unknown): boolean =>
  typeof type === 'string' && Object.entries(OUTCOME_TYPES).some(([name, { success }]) => name === type && success);

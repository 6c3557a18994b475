import { traces } from '../../texts/traces.ts';
import { diffLines } from '../../ui/diff-lines.ts';
import { stepsOf, type TraceStep, type WholeTrace } from './steps.ts';

const what = traces.compare.what;

/** A step of each trace beside the other; undefined where only one took it. */
export type StepPair = { left: TraceStep | undefined; right: TraceStep | undefined; differs: readonly string[] };

export type SideBySide = { pairs: readonly StepPair[]; first: number | undefined; same: number; isCut: boolean };

/** A comparison of more would hold the page. */
export const MOST_COMPARED = 1500;

/** Two traces step by step, and the first pair that is not the same. Times and tokens are no difference. */
export function sideBySide(left: WholeTrace, right: WholeTrace): SideBySide {
  const [a, b] = [orderedSteps(left), orderedSteps(right)];
  const pairs = paired(a.slice(0, MOST_COMPARED), b.slice(0, MOST_COMPARED));
  const found = pairs.findIndex(isDifferent);
  return {
    pairs,
    first: found < 0 ? undefined : found,
    same: pairs.filter((pair) => !isDifferent(pair)).length,
    isCut: Math.max(a.length, b.length) > MOST_COMPARED,
  };
}

export const isDifferent = ({ left, right, differs }: StepPair): boolean => !left || !right || differs.length > 0;

/** In the order in which they ended: that an attempt was given up comes after its steps. */
function orderedSteps(trace: WholeTrace): TraceStep[] {
  const inOrder = (step: TraceStep): TraceStep[] => {
    const below = step.below.flatMap(inOrder);
    if (step.of.kind === 'root') return below;
    if (step.of.kind !== 'attempt') return [step, ...below];
    return step.of.attempt ? [...below, step] : below;
  };
  return inOrder(stepsOf(trace).root);
}

/** Steps of the same kind and name stand beside each other. */
function paired(a: readonly TraceStep[], b: readonly TraceStep[]): StepPair[] {
  const lines = diffLines(a.map(nameOf).join('\n'), b.map(nameOf).join('\n')) ?? [];
  const pairs: StepPair[] = [];
  let i = 0;
  let j = 0;
  for (const { kind } of lines) {
    const [left, right] = [kind === 'added' ? undefined : a[i++], kind === 'removed' ? undefined : b[j++]];
    if (left && right) pairs.push({ left, right, differs: differencesOf(left, right) });
    else if (left || right) pairs.push({ left, right, differs: [] });
  }
  return pairs;
}

const nameOf = ({ of, name }: TraceStep): string => JSON.stringify([of.kind, of.kind === 'attempt' ? '' : name]);

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** In what two steps of the same name differ. */
function differencesOf(left: TraceStep, right: TraceStep): string[] {
  const [a, b] = [left.of, right.of];
  const differs: string[] = [];
  if (a.kind === 'read' && b.kind === 'read') {
    if (a.read.version !== b.read.version) differs.push(what.version);
    else if (!isSame(a.read.value, b.read.value)) differs.push(what.value);
  }
  if (a.kind === 'tool' && b.kind === 'tool') {
    if (!isSame(a.call.arguments, b.call.arguments)) differs.push(what.arguments);
    if (a.call.result_summary !== b.call.result_summary) differs.push(what.result);
  }
  if (a.kind === 'query' && b.kind === 'query') {
    if (!isSame(a.query.parameters, b.query.parameters)) differs.push(what.arguments);
    if (a.query.result_count !== b.query.result_count) differs.push(what.result);
  }
  if (a.kind === 'error' && b.kind === 'error' && a.error.message !== b.error.message) differs.push(what.result);
  if (a.kind === 'span' && b.kind === 'span' && !isSame([a.span.input, a.span.output], [b.span.input, b.span.output]))
    differs.push(what.result);
  if (a.kind === 'outcome' && left.note !== right.note) differs.push(what.outcome);
  if (left.isFailed !== right.isFailed) differs.push(what.failure);
  return differs;
}

import type { judgeShapes } from '@mem-service/server/module';
import { type CheckFinding, type CheckSteps, type Matchers, type NumberedVersion, unless } from './finding.ts';
import { inOrder, type JudgedTrace } from './judged-trace.ts';
import { fitsWildcard } from './wildcard.ts';

type OrderCheck = Extract<judgeShapes.SimpleCheck, { check: 'order' }>;

/** Where in a trace something first was. */
type FirstPlace = {
  kind: 'tool' | 'span' | 'memory';
  /** Among those of its kind. */
  no: number;
  at: number | null;
  span_id: string | null;
  entry: NumberedVersion | null;
};

/** None of the steps begins before the one ahead of it in the list did. */
export function* checkOrder({ tools, steps }: OrderCheck, trace: JudgedTrace, matchers: Matchers): CheckSteps {
  const ordered = steps ?? (tools ?? []).map((tool) => ({ tool }));
  const places: (FirstPlace | undefined)[] = [];
  for (const step of ordered) {
    places.push(firstOf(step, trace, matchers));
    yield;
  }
  let isKnown = true;
  for (const [i, step] of ordered.entries()) {
    const before = ordered[i - 1];
    const place = places[i];
    if (before === undefined || place === undefined) continue;
    const ahead = places[i - 1];
    // Of several kinds, the one ahead may be in what was not looked at.
    const isAfter = ahead ? follows(place, ahead) : tools ? false : unless(trace.is_partial, false);
    if (isAfter === false) return resting(false, `${nameOf(step)} ${didOf(step)} before ${nameOf(before)}`, place);
    isKnown &&= isAfter !== null;
  }
  const came = ordered.filter((_, i) => places[i] !== undefined).map(nameOf);
  if (!isKnown) return resting(null, `it is not known when each of ${came.join(', ')} began`);
  return resting(unless(trace.is_partial, true), orderOf(came, ordered.map(nameOf), tools ? 'called' : undefined));
}

/** Names only those that came. */
function orderOf(came: readonly string[], all: readonly string[], called: 'called' | undefined): string {
  const [first, another] = came;
  if (first === undefined) return `none of ${all.join(', ')} ${called ? 'was called' : 'came'}`;
  if (another === undefined) return `only ${first} ${called ? 'was called' : 'came'}`;
  return `${came.join(', ')} ${called ? 'were called' : 'came'} in this order`;
}

/** Whether it was not earlier; null where that is not known. What is of one kind is in order already. */
function follows(place: FirstPlace, ahead: FirstPlace): boolean | null {
  if (place.kind === ahead.kind) return ahead.no <= place.no;
  return place.at === null || ahead.at === null ? null : ahead.at <= place.at;
}

/** What is made of a trace, once however many steps and checks look at it. */
function oncePerTrace<T extends object>(make: (trace: JudgedTrace) => T): (trace: JudgedTrace) => T {
  const made = new WeakMap<JudgedTrace, T>();
  return (trace) => {
    const known = made.get(trace) ?? make(trace);
    made.set(trace, known);
    return known;
  };
}

const toolsOf = oncePerTrace(({ steps }) => steps.filter(({ kind }) => kind === 'tool'));
const spansOf = oncePerTrace(({ spans }) => inOrder(spans));
const readsOf = oncePerTrace(({ reads }) => inOrder(reads));

function firstOf(step: judgeShapes.OrderedStep, trace: JudgedTrace, matchers: Matchers): FirstPlace | undefined {
  if ('entity_path' in step) return firstRead(step, trace, matchers);
  const isTool = 'tool' in step;
  const named = isTool ? toolsOf(trace) : spansOf(trace);
  const name = isTool ? step.tool : step.span;
  matchers.look(named.length * name.split('*').length);
  const no = named.findIndex((one) => fitsWildcard(name, one.name));
  const found = named[no];
  return found && { kind: isTool ? 'tool' : 'span', no, at: found.at, span_id: found.span_id, entry: null };
}

/** Matching a path takes as long as looking at some values. */
const LOOKS_PER_READ = 5;

function firstRead(
  { entity_path, key }: Extract<judgeShapes.OrderedStep, { entity_path: string }>,
  trace: JudgedTrace,
  matchers: Matchers,
): FirstPlace | undefined {
  const reads = readsOf(trace);
  matchers.look(reads.length * LOOKS_PER_READ);
  const no = reads.findIndex(
    (one) => matchers.path(entity_path, one.entity_path) && (key === undefined || one.key === key),
  );
  const found = reads[no];
  if (!found) return undefined;
  const { at, entry_id, version } = found;
  return { kind: 'memory', no, at, span_id: null, entry: { entry_id, version } };
}

const nameOf = (step: judgeShapes.OrderedStep): string => {
  if ('tool' in step) return step.tool;
  if ('span' in step) return step.span;
  return [step.entity_path, ...(step.key === undefined ? [] : [step.key])].join('/');
};

const didOf = (step: judgeShapes.OrderedStep): string =>
  'tool' in step ? 'was called' : 'span' in step ? 'began' : 'was read';

const resting = (holds: boolean | null, reason: string, place?: FirstPlace): CheckFinding => ({
  holds,
  reason,
  span_ids: place?.span_id ? [place.span_id] : [],
  entries: place?.entry ? [place.entry] : [],
});

/** The fields of a span that its place in the tree depends on. */
export type TreeSpan = { span_id: string; parent_span_id: string | null; started_at: string | null };

/**
 * Makes every parent exist and removes cycles. A span with an unknown parent moves to the top; of a cycle, the span that
 * started first does, and of several the one with the smallest id.
 */
export function resolveParents<S extends TreeSpan>(spans: readonly S[]): S[] {
  const parentOf = lookUpParents(spans);
  const tops = new Set<string>();
  const walks = new Map<string, number>();
  for (const [walk, span] of spans.entries()) {
    const path: S[] = [];
    let above: S | undefined = span;
    for (; above && !walks.has(above.span_id); above = parentOf(above)) {
      walks.set(above.span_id, walk);
      path.push(above);
    }
    // The walk came back to one of its own spans: this is a cycle.
    if (above && walks.get(above.span_id) === walk) tops.add(firstOf(path.slice(path.indexOf(above))).span_id);
  }
  const isTop = (span: S) => tops.has(span.span_id) || parentOf(span) === undefined;
  return spans.map((span) => (isTop(span) ? { ...span, parent_span_id: null } : span));
}

function lookUpParents<S extends TreeSpan>(spans: readonly S[]): (span: TreeSpan) => S | undefined {
  const byId = new Map(spans.map((span) => [span.span_id, span]));
  return ({ parent_span_id }) => (parent_span_id === null ? undefined : byId.get(parent_span_id));
}

function firstOf<S extends TreeSpan>(circle: readonly S[]): S {
  return circle.reduce((first, span) =>
    (byStart(span, first) || (span.span_id < first.span_id ? -1 : 1)) < 0 ? span : first,
  );
}

/** By start; spans without one come last. */
function byStart(a: TreeSpan, b: TreeSpan): number {
  if (a.started_at === b.started_at) return 0;
  if (a.started_at === null || b.started_at === null) return a.started_at === null ? 1 : -1;
  return a.started_at < b.started_at ? -1 : 1;
}

/** Spans between two pauses. */
const STEP = 250;

/** A span, and how many spans it lies within. */
export type SpanRow<S extends TreeSpan> = { span: S; depth: number };

/**
 * From top to bottom of their tree, those below a parent in the order they started, and with the same start in the order given. As a
 * flat list: JSON cannot hold a very deep tree.
 */
export function* spanRows<S extends TreeSpan>(spans: readonly S[]): Generator<void, SpanRow<S>[]> {
  const resolved = resolveParents(spans).sort(byStart);
  yield;
  const parentOf = lookUpParents(resolved);
  const below = new Map<S | undefined, S[]>();
  for (const span of resolved) {
    const parent = parentOf(span);
    const siblings = below.get(parent);
    if (siblings) siblings.push(span);
    else below.set(parent, [span]);
  }
  const rows: SpanRow<S>[] = [];
  const rowsBelow = (parent: S | undefined, depth: number) =>
    (below.get(parent) ?? []).map((span) => ({ span, depth })).reverse();
  const waiting = rowsBelow(undefined, 0);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (rows.length % STEP === 0) yield;
    rows.push(next);
    for (const row of rowsBelow(next.span, next.depth + 1)) waiting.push(row);
  }
  return rows;
}

/** The fields of a span that its place in the tree depends on. */
export type TreeSpan = { span_id: string; parent_span_id: string | null; started_at: string | null };

export type SpanNode<S extends TreeSpan> = S & { children: SpanNode<S>[] };

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

/** Spans below their parents, in the order they started; those with the same start in the order given. */
export function spanTree<S extends TreeSpan>(spans: readonly S[]): SpanNode<S>[] {
  const nodes = resolveParents(spans).map((span): SpanNode<S> => ({ ...span, children: [] }));
  const parentOf = lookUpParents(nodes);
  const roots: SpanNode<S>[] = [];
  for (const node of nodes.sort(byStart)) (parentOf(node)?.children ?? roots).push(node);
  return roots;
}

/** The same as a flat list from top to bottom, each with its depth from 0: JSON cannot hold a very deep tree. */
export function spanRows<S extends TreeSpan>(
  spans: readonly S[],
): (Omit<SpanNode<S>, 'children'> & { depth: number })[] {
  const waiting = spanTree(spans)
    .reverse()
    .map((node) => ({ node, depth: 0 }));
  const rows: (Omit<SpanNode<S>, 'children'> & { depth: number })[] = [];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { children, ...span } = next.node;
    const { depth } = next;
    rows.push({ ...span, depth });
    for (const node of children.reverse()) waiting.push({ node, depth: depth + 1 });
  }
  return rows;
}

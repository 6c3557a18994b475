import type { Output } from '@mem-service/contract';
import { cost, counted, duration } from './numbers.ts';
import { brief, paint, type Screen, show } from './text.ts';
import { MOST, more, type TreeNode } from './tree.ts';

type SpanAnswer = Output<'sessions.explain'>['spans'][number];

/** Spans below their parents, in the order of their start. */
export function spanNodes(spans: readonly SpanAnswer[], screen: Screen): TreeNode[] {
  if (spans.length === 0) return [];
  const tops: TreeNode[] = [];
  const levels: TreeNode[][] = [tops];
  for (const { span, depth } of rowsOf(spans)) {
    const below: TreeNode[] = [];
    levels[depth]?.push({ text: spanText(span, screen), below });
    levels[depth + 1] = below;
  }
  return [{ text: counted(spans.length, 'span'), below: [...tops, ...more(spans.length - MOST)] }];
}

/** Rows in tree order, up to the number shown. The service allows no span to be its own ancestor. */
function rowsOf(spans: readonly SpanAnswer[]): { span: SpanAnswer; depth: number }[] {
  const known = new Set(spans.map(({ span_id }) => span_id));
  const children = new Map<string | null, SpanAnswer[]>();
  for (const span of [...spans].sort(byStart)) {
    const parent = known.has(span.parent_span_id ?? '') ? span.parent_span_id : null;
    const family = children.get(parent);
    if (family) family.push(span);
    else children.set(parent, [span]);
  }
  const waiting = (children.get(null) ?? []).map((span) => ({ span, depth: 0 })).reverse();
  const rows: { span: SpanAnswer; depth: number }[] = [];
  for (let next = waiting.pop(); next && rows.length < MOST; next = waiting.pop()) {
    rows.push(next);
    const { span_id } = next.span;
    const depth = next.depth + 1;
    for (const span of (children.get(span_id) ?? []).reverse()) waiting.push({ span, depth });
  }
  return rows;
}

/** Times are in UTC and of equal length; a span without a start comes last. */
function byStart(a: SpanAnswer, b: SpanAnswer): number {
  const [one, other] = [a.started_at ?? '~', b.started_at ?? '~'].map(String) as [string, string];
  return one === other ? 0 : one < other ? -1 : 1;
}

export function spanText(span: SpanAnswer, screen: Screen): string {
  const { name, kind, status, error, duration_ms, model, input_tokens, output_tokens, cost_usd } = span;
  const parts = [
    `${paint(screen, 'dim', show(kind))} ${paint(screen, 'bold', show(name))}`,
    status === 'ok' ? '' : paint(screen, status === 'error' ? 'red' : 'yellow', show(status)),
    typeof duration_ms === 'number' ? duration(duration_ms) : '',
    show(model),
    input_tokens === undefined && output_tokens === undefined
      ? ''
      : `${show(input_tokens ?? 0)} in, ${show(output_tokens ?? 0)} out`,
    kind === 'llm' ? cost(typeof cost_usd === 'number' ? cost_usd : null) : '',
    brief(error, 160),
  ];
  return parts.filter((part) => part !== '').join('  ');
}

import type { JsonObject } from '../session.ts';

export type SpanRow = JsonObject & { span_id: string; parent_span_id: string | null };

/** Spans in tree order, each below its parent, with its depth from 0. */
export function outlineRows(spans: readonly SpanRow[]): (SpanRow & { depth: number })[] {
  const known = new Set(spans.map(({ span_id }) => span_id));
  const below = new Map<string | null, SpanRow[]>();
  for (const span of spans) {
    const parent = span.parent_span_id !== null && known.has(span.parent_span_id) ? span.parent_span_id : null;
    below.set(parent, [...(below.get(parent) ?? []), span]);
  }
  const rows: (SpanRow & { depth: number })[] = [];
  const waiting = (below.get(null) ?? []).map((span) => ({ ...span, depth: 0 })).reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { span_id, depth } = next;
    rows.push(next);
    waiting.push(...(below.get(span_id) ?? []).map((span) => ({ ...span, depth: depth + 1 })).reverse());
  }
  return rows;
}

/** The rows as text, one line each. */
export function outlineText(rows: readonly (SpanRow & { depth: number })[]): string {
  return rows
    .map(({ depth, name, kind, status, duration_ms, span_id }) => {
      const time = typeof duration_ms === 'number' ? ` ${Math.round(duration_ms)} ms` : '';
      return `${'  '.repeat(depth)}${name} [${kind}] ${status}${time} (${span_id})`;
    })
    .join('\n');
}

import type { SpanOutline } from '@mem-service/server/module';

/** Spans as text, a line each, indented by their depth. */
export function outlineText(spans: readonly SpanOutline[]): string {
  return spans
    .map(({ depth, name, kind, status, duration_ms, span_id }) => {
      const time = duration_ms === null ? '' : ` ${Math.round(duration_ms)} ms`;
      return `${'  '.repeat(Math.min(depth, MAX_INDENT))}${name} [${kind}] ${status}${time} (${span_id})`;
    })
    .join('\n');
}

/** Deeper ones are not indented further: the text would grow with the square of the depth. */
const MAX_INDENT = 40;

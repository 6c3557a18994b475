import type { TextRange } from './redact-pattern-parts.ts';
import { isPlaceholder } from './redact-values.ts';

/** In URLs of these schemes a password may contain a slash; in others that would be a port and a path. */
const STORES = /(?:amqp|clickhouse|cockroach|ldap|maria|mongo|mssql|mysql|nats|oracle|postgres|redis|smtp|sqlserver)/i;
const UP_TO_AT = /[^\s"'`<>\\@]{1,256}(?=@)/y;
const PORT = /^\d{1,5}(?:[#,]|$)/;

/** The password of a URL; the match ends before it, and its groups are the scheme and the rest up to a slash. */
export function urlPassword(match: RegExpExecArray): TextRange[] {
  const [whole, scheme = '', rest = ''] = match;
  const start = match.index + whole.length;
  const end = PORT.test(rest) ? start : endOfPassword(match.input, start, { scheme, rest });
  return end > start && !isPlaceholder(match.input.slice(start, end)) ? [{ start, end }] : [];
}

function endOfPassword(text: string, start: number, { scheme, rest }: { scheme: string; rest: string }): number {
  const at = rest.lastIndexOf('@');
  if (at >= 0 || !STORES.test(scheme)) return start + Math.max(0, at);
  UP_TO_AT.lastIndex = start;
  return UP_TO_AT.test(text) ? UP_TO_AT.lastIndex : start;
}

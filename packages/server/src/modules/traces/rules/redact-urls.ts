import { findMatches, type Secret } from './redact-span.ts';
import { isPlaceholder } from './redact-values.ts';

/** `scheme://user:`, then the rest up to a slash. The slashes may be escaped, as some write them in JSON. */
const AUTHORITY =
  /(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]{0,30}):\\?\/\\?\/[^\s/?#:@"'`<>\\]{0,256}:(?=([^\s/?"'`<>\\]+))/g;
/** In these a password with a bare slash is seen; in other addresses that would be a port and a path. */
const STORES = /(?:amqp|clickhouse|cockroach|ldap|maria|mongo|mssql|mysql|nats|oracle|postgres|redis|smtp|sqlserver)/i;
const UP_TO_AT = /[^\s"'`<>\\@]{1,256}(?=@)/y;
const PORT = /^\d{1,5}(?:[#,]|$)/;

/** Passwords in addresses. Scheme, user and host stay. */
export function findUrlPasswords(text: string): Secret[] {
  const secrets: Secret[] = [];
  for (const match of findMatches(text, AUTHORITY)) {
    const [whole, scheme = '', rest = ''] = match;
    const start = match.index + whole.length;
    const end = PORT.test(rest) ? start : endOfPassword(text, start, { scheme, rest });
    if (end > start && !isPlaceholder(text.slice(start, end))) secrets.push({ start, end, kind: 'connection_string' });
  }
  return secrets;
}

function endOfPassword(text: string, start: number, { scheme, rest }: { scheme: string; rest: string }): number {
  const at = rest.lastIndexOf('@');
  if (at >= 0 || !STORES.test(scheme)) return start + Math.max(0, at);
  UP_TO_AT.lastIndex = start;
  return UP_TO_AT.test(text) ? UP_TO_AT.lastIndex : start;
}

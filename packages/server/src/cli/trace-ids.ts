import type { ServiceConnection } from './connect.ts';
import { UsageError } from './failure.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const FULL_LENGTH = 26;
/** The first characters of an id encode its time of creation, to the millisecond. */
const TIME_LENGTH = 10;
/** Later times have no four-digit year. */
const LAST_TIME = Date.UTC(9999, 11, 31);

export const shortId = (id: string): string => id.slice(0, TIME_LENGTH);

/** The shortest prefixes that distinguish the ids of one list. */
export function shortIds(ids: readonly string[]): string[] {
  let length = TIME_LENGTH;
  while (length < FULL_LENGTH && new Set(ids.map((id) => id.slice(0, length))).size < new Set(ids).size) length++;
  return ids.map((id) => id.slice(0, length));
}

/** Resolves the prefix that lists show to the full id of a trace. Any other text is passed on to the service. */
export async function fullTraceId(connection: ServiceConnection, given: string): Promise<string> {
  const id = given.toLowerCase();
  if (id.length < TIME_LENGTH || id.length >= FULL_LENGTH || [...id].some((one) => !ALPHABET.includes(one)))
    return given;
  const made = [...shortId(id)].reduce((time, one) => time * 32 + ALPHABET.indexOf(one), 0);
  if (made > LAST_TIME) return given;
  const matching = (await tracesMadeAt(connection, made)).filter((trace) => trace.startsWith(id));
  if (matching.length > 1) throw new UsageError(`${given} begins ${matching.length} traces: ${matching.join(', ')}`);
  return matching[0] ?? given;
}

async function tracesMadeAt(connection: ServiceConnection, made: number): Promise<string[]> {
  const [since, until] = [new Date(made).toISOString(), new Date(made + 1).toISOString()];
  const page = JSON.parse(await connection.call('traces.list', { since, until, limit: 1000 }));
  return (page as { traces: { trace_id: string }[] }).traces.map(({ trace_id }) => trace_id);
}

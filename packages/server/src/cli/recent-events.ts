import { matchesGlob, type Output, parseGlob } from '@mem-service/contract';
import type { ServiceConnection } from './connect.ts';
import { UsageError } from './failure.ts';
import type { AnswerItem } from './render/index.ts';

type ListedEvent = Output<'log.list'>['events'][number];

export type EventQuery = {
  entity_path: string | undefined;
  agent_id: string | undefined;
  types: readonly string[] | undefined;
  branch: string | undefined;
  limit: number;
  before: number | undefined;
};

const PAGE = 1000;

/**
 * The log is read forward from a `seq`, so this reads it in chunks from its end. Details are merged into each event.
 */
export async function listRecentEvents(connection: ServiceConnection, wanted: EventQuery): Promise<AnswerItem[]> {
  const isWanted = filterOf(wanted);
  const { branch } = wanted;
  const found: ListedEvent[] = [];
  const { last_seq } = await ask(connection, 'stats.read', {});
  let top = Math.min(last_seq, (wanted.before ?? Number.POSITIVE_INFINITY) - 1);
  while (top > 0 && found.length < wanted.limit) {
    const size = isWanted || branch !== undefined ? PAGE : Math.min(PAGE, wanted.limit - found.length);
    const place = { after: Math.max(0, top - size), limit: size };
    const { events } = await ask(connection, 'log.list', { ...place, ...(branch === undefined ? {} : { branch }) });
    found.push(...events.filter((event) => event.seq <= top && (!isWanted || isWanted(event))).reverse());
    top -= size;
  }
  return found.slice(0, wanted.limit).map(({ details, ...event }) => ({ ...details, ...event }));
}

const ask = async <N extends 'stats.read' | 'log.list'>(
  connection: ServiceConnection,
  name: N,
  input: Record<string, unknown>,
) => JSON.parse(await connection.call(name, input)) as Output<N>;

function filterOf({ entity_path, agent_id, types }: EventQuery): ((event: ListedEvent) => boolean) | undefined {
  if (entity_path === undefined && agent_id === undefined && types === undefined) return undefined;
  const glob = entity_path === undefined ? undefined : parseGlob(entity_path);
  if (entity_path !== undefined && !glob)
    throw new UsageError(`entity_path: ${JSON.stringify(entity_path)} is no path: a/b, a/* or a/**`);
  return (event) =>
    (!glob || (event.entity_path !== null && matchesGlob(glob, event.entity_path))) &&
    (agent_id === undefined || event.agent_id === agent_id) &&
    (types === undefined || types.includes(event.event_type));
}

import { eventTypeOf, matchesGlob, parseGlob } from '@mem-service/contract';

export type EventFilter<E extends FilteredEvent> = {
  /** Whether the branch that is followed shows the event. */
  isShown: (event: E) => boolean;
  entity_path?: string | undefined;
  types?: readonly string[] | undefined;
  agent_id?: string | undefined;
};

type FilteredEvent = {
  seq: number;
  event_type: string;
  branch: string;
  agent_id: string;
  entity_path: string | null;
};

/** Returns whether an event passes the filter. An event without a path passes only where the filter has none. */
export function acceptorOf<E extends FilteredEvent>({
  isShown,
  entity_path,
  types,
  agent_id,
}: EventFilter<E>): (event: E) => boolean {
  const parsed = entity_path === undefined ? undefined : parseGlob(entity_path);
  const glob = parsed?.kind === 'all' ? undefined : parsed;
  const wantedTypes = types && new Set(types.map(eventTypeOf));
  return (event) =>
    isShown(event) &&
    (agent_id === undefined || event.agent_id === agent_id) &&
    (wantedTypes === undefined || wantedTypes.has(event.event_type)) &&
    (glob === undefined || (event.entity_path !== null && matchesGlob(glob, event.entity_path)));
}

/** Whether an event is of the types that are asked for; undefined where all are. */
export function wantedTypesOf(
  types: readonly string[] | undefined,
  excluded: readonly string[] | undefined,
): ((event: { event_type: string }) => boolean) | undefined {
  if (types === undefined && excluded === undefined) return undefined;
  const wanted = types && new Set(types.map(eventTypeOf));
  const unwanted = new Set(excluded?.map(eventTypeOf));
  return ({ event_type }) => !unwanted.has(event_type) && (wanted === undefined || wanted.has(event_type));
}

type EventDetails = { entity_path: string | null; key: string | null; version: number | null; details: string };

/** The details of an event about an entry also contain its name, as in the timeline. */
export function detailsOf({ entity_path, key, version, details }: EventDetails): Record<string, unknown> {
  const rest = JSON.parse(details) as Record<string, unknown>;
  return entity_path === null ? rest : { entity_path, key, version, ...rest };
}

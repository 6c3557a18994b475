import { useMemo } from 'react';
import type { FeedEvent } from '../../data/events.ts';
import { useOperation } from '../../data/query.ts';
import { rooms as texts } from '../../texts/rooms.ts';
import type { WholeRoom } from './room-data.ts';

const MOST = 100;

/** What of a room goes by an id in its log. */
const IDS = ['topic_id', 'negotiation_id', 'invitation_id'] as const;

/**
 * Names for what the events of a room are about: its log has ids only, and the name of the room, which is known here, is none
 * of them.
 */
export function useRoomNames({ room_id, role }: WholeRoom): (events: readonly FeedEvent[]) => readonly FeedEvent[] {
  const most = { room_id, limit: MOST };
  const { data: shared } = useOperation('rooms.topics', most);
  const { data: agreed } = useOperation('negotiations.list', most);
  const { data: invited } = useOperation('rooms.list_invitations', most, { enabled: role === 'owner' });
  const listed = useMemo(
    () => [
      ...(shared?.topics ?? []).map(({ topic_id, title }) => [topic_id, title] as const),
      ...(agreed?.negotiations ?? []).map(({ negotiation_id, title }) => [negotiation_id, title] as const),
      ...(invited?.invitations ?? []).map(
        ({ invitation_id, account_id }) => [invitation_id, account_id ?? texts.byToken] as const,
      ),
    ],
    [shared, agreed, invited],
  );
  return (events) => {
    const names = new Map([...events.flatMap(namedIn), ...listed]);
    return events.map((event) => withName(event, names));
  };
}

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What the events name themselves, of what is not listed any more too. */
function namedIn({ details }: FeedEvent): (readonly [id: string, name: string])[] {
  const { topic_id, shared_path, negotiation_id, title } = details;
  return [[wordOf(topic_id), wordOf(shared_path)] as const, [wordOf(negotiation_id), wordOf(title)] as const].filter(
    ([id, name]) => id !== '' && name !== '',
  );
}

function withName(event: FeedEvent, names: ReadonlyMap<string, string>): FeedEvent {
  const { room_id: _, ...details } = event.details;
  const id = IDS.map((member) => wordOf(details[member])).find((found) => found !== '');
  if (id === undefined) return { ...event, details };
  // The label is that of the account that did it, which is beside it.
  const { label: _label, ...rest } = details;
  const name = names.get(id);
  if (name === undefined) return { ...event, details: rest };
  return { ...event, details: { ...rest, [event.event_type.startsWith('room_') ? 'name' : 'title']: name } };
}

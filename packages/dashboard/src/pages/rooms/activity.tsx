import { useQuery } from '@tanstack/react-query';
import { type FeedEvent, MAINTENANCE_TYPES } from '../../data/events.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate, textParameter, useSearch } from '../../router/router.tsx';
import { eventName } from '../../texts/events.ts';
import { ago, fullTimeOf } from '../../texts/format.ts';
import { rooms as texts } from '../../texts/rooms.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { EventName } from '../../ui/event-name.tsx';
import { EventWhat, hrefOfEvent } from '../../ui/event-what.tsx';
import { ChoiceFilter } from '../../ui/filters.tsx';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { newestUpdates } from './newest-updates.ts';
import { hrefOfDocument, hrefOfMessage, hrefOfNegotiation } from './room-address.ts';
import type { WholeRoom } from './room-data.ts';
import { sentenceOf } from './room-sentence.ts';
import styles from './rooms.module.css';
import { useRoomNames } from './use-room-names.ts';

const parameters = { type: textParameter() };

/** What happened in the room, the newest first. What the service does by itself is shown when it is asked for. */
export function Activity({ room }: { room: WholeRoom }) {
  const { room_id } = room;
  const now = useNow();
  const [{ type }, set] = useSearch(parameters);
  const call = { name: 'rooms.updates', input: { room_id } } as const;
  const answer = useQuery({ ...newestUpdates(room_id, type), placeholderData: (before) => before });
  const named = useRoomNames(room);
  const types = [...new Set([...(answer.data ?? []).map(({ event_type }) => event_type), ...MAINTENANCE_TYPES])];
  const filter = (
    <ChoiceFilter
      name={texts.updateType}
      any={texts.anyType}
      value={type}
      choices={types.map((value) => ({ value, label: eventName(value) }))}
      onChange={(next) => set({ type: next })}
    />
  );
  return (
    <Section
      title={texts.updates}
      note={texts.updatesNote}
      bleed
      actions={
        <>
          {filter}
          <CopyAs call={call} />
        </>
      }
    >
      <Loaded answer={answer} call={call} rows={6}>
        {(events) =>
          events.length === 0 ? (
            <p className={`${styles.hint} third`}>{texts.noUpdates}</p>
          ) : (
            <Table
              label={texts.updates}
              columns={columnsAt(now, room_id)}
              rows={named(events)}
              keyOf={({ position }) => position}
              onOpen={(event) => navigate(placeOf(event, room_id))}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

/** The log of a room does not name the room, and its agents are not those of the account. */
function placeOf(event: FeedEvent, roomId: string): string {
  const { document_id, negotiation_id, topic_id } = event.details;
  if (event.entity_path !== null) return hrefOfEvent(event);
  if (event.event_type === 'room_message') return hrefOfMessage(roomId, String(event.seq));
  if (typeof negotiation_id === 'string') return hrefOfNegotiation(roomId, negotiation_id);
  if (typeof document_id === 'string') return hrefOfDocument(roomId, document_id);
  if (typeof topic_id === 'string') return hrefOf('rooms', roomId, { part: 'topics' });
  return hrefOf('rooms', roomId);
}

/** What its agent did, as a sentence. */
function RoomEventWhat({ event, href }: { event: FeedEvent; href: string }) {
  const found = sentenceOf(event);
  if (found === undefined) return <EventWhat event={event} href={href} />;
  const { before, thing, after, note, isBad } = found;
  return (
    <span className="second">
      {before !== '' && `${before} `}
      {thing !== '' && (
        <a className="in-text" href={href}>
          {thing}
        </a>
      )}
      {after !== '' && <span className={isBad && 'bad'}> {after}</span>}
      {note !== '' && <span className="third">{note}</span>}
    </span>
  );
}

const columnsAt = (now: number, roomId: string): readonly Column<FeedEvent>[] => [
  {
    ...{ id: 'at', head: texts.updateColumns.at, width: 92, phone: 'time' },
    cell: ({ created_at }) => (
      <time className="third" dateTime={created_at} title={fullTimeOf(created_at)}>
        {ago(created_at, now)}
      </time>
    ),
  },
  {
    ...{ id: 'agent', head: texts.updateColumns.agent, width: 200, phone: 'value' },
    cell: ({ agent_id }) => <span title={agent_id}>{agent_id}</span>,
  },
  {
    ...{ id: 'event', head: texts.updateColumns.event, width: 200, phone: 'name' },
    cell: (event) => <EventName event={event} />,
  },
  {
    ...{ id: 'what', head: texts.updateColumns.what, phone: 'detail' },
    cell: (event) => <RoomEventWhat event={event} href={placeOf(event, roomId)} />,
  },
];

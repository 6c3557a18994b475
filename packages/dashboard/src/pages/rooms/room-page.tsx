import { DASHBOARD_AGENT } from '../../data/client.ts';
import { useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { useSearch } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { rooms as texts } from '../../texts/rooms.ts';
import { TabPanel, Tabs } from '../../ui/choices.tsx';
import { Loaded } from '../../ui/states.tsx';
import branchStyles from '../branches/branches.module.css';
import { Activity } from './activity.tsx';
import { Discussion } from './discussion.tsx';
import { DocumentsPart } from './documents-part.tsx';
import { NegotiationsPart } from './negotiations-part.tsx';
import { ROOM_PARTS, type RoomPart, roomParameters } from './room-address.ts';
import { RoomAside } from './room-aside.tsx';
import { useRoomRefresh, type WholeRoom } from './room-data.ts';
import { RoomHead } from './room-head.tsx';
import styles from './rooms.module.css';
import { TopicsPart } from './topics-part.tsx';

/** One room: what was said, negotiated, handed over and done in it, and who is in it. */
export function RoomPage({ roomId }: { roomId: string }) {
  const call = { name: 'rooms.read', input: { room_id: roomId } } as const;
  const read = useOperation(call.name, call.input);
  useCrumbs([{ label: texts.title, href: hrefOf('rooms') }, { label: read.data?.name ?? roomId }]);
  useRoomRefresh(roomId, read.data?.joined === true);
  return (
    <div className={branchStyles.message}>
      <Loaded answer={read} call={call}>
        {(room) => (
          <>
            <RoomHead room={room} />
            <div className={branchStyles.split}>
              <div className={styles.parts}>
                {room.joined ? (
                  <Parts room={room} />
                ) : (
                  <p className={`${styles.hint} second prose`}>{texts.joinHint}</p>
                )}
              </div>
              <div className={branchStyles.aside}>
                <RoomAside room={room} />
              </div>
            </div>
          </>
        )}
      </Loaded>
    </div>
  );
}

function Parts({ room }: { room: WholeRoom }) {
  const { room_id, label } = room;
  const [{ part, negotiation, document }, set] = useSearch(roomParameters);
  const show = (next: RoomPart) => set({ part: next, negotiation: '', document: '', message: '', words: '' });
  const isOpen = negotiation !== '' || document !== '';
  useCommands([
    ...ROOM_PARTS.map((id) => ({ id: `room-${id}`, label: texts.show(texts.parts[id]), run: () => show(id) })),
    ...(isOpen
      ? [{ id: 'to-list', label: texts.toList, keys: 'Escape', unlisted: true as const, run: () => show(part) }]
      : []),
  ]);
  const tabs = ROOM_PARTS.map((value) => ({ value, label: texts.parts[value] }));
  return (
    <>
      <div className={branchStyles.tabs}>
        <Tabs label={texts.partsOf} value={part} tabs={tabs} onChange={show} />
      </div>
      <TabPanel value={part}>
        {part === 'discussion' && <Discussion roomId={room_id} />}
        {part === 'negotiations' && <NegotiationsPart roomId={room_id} me={`${DASHBOARD_AGENT}@${label}`} />}
        {part === 'documents' && <DocumentsPart roomId={room_id} />}
        {part === 'topics' && <TopicsPart room={room} />}
        {part === 'activity' && <Activity room={room} />}
      </TabPanel>
    </>
  );
}

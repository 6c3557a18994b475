import type { Output } from '../../data/client.ts';
import { usePages } from '../../data/query.ts';
import { useRefreshOnEvents } from '../../data/use-refresh.ts';
import { hrefOf } from '../../router/address.ts';
import { useSearch } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { roomDirectory as texts } from '../../texts/room-directory.ts';
import { rooms } from '../../texts/rooms.ts';
import { Button } from '../../ui/button.tsx';
import { TabPanel, Tabs } from '../../ui/choices.tsx';
import { classes } from '../../ui/classes.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Tag } from '../../ui/marks.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import branchStyles from '../branches/branches.module.css';
import { FoundRoom } from './found-room.tsx';
import { DIRECTORY_VIEWS, type DirectoryView, directoryParameters, hrefOfFoundRoom } from './room-address.ts';
import { ACCESS_TONES, DIRECTORY_ANSWERS } from './room-data.ts';
import styles from './rooms.module.css';
import { SentRequests, useSentRequests } from './sent-requests.tsx';

type ListedFoundRoom = Output<'room_directory.list'>['rooms'][number];

/** Rooms of all accounts that can be found, and what the account has asked their owners. */
export function RoomDirectory() {
  const [{ view, room }, set] = useSearch(directoryParameters);
  useCrumbs([{ label: rooms.title, href: hrefOf('rooms') }, { label: texts.title }]);
  useRefreshOnEvents(DIRECTORY_ANSWERS, ({ event_type }) => event_type.startsWith('room_'));
  const show = (next: DirectoryView) => set({ view: next, room: '' });
  useCommands(DIRECTORY_VIEWS.map((id) => ({ id, label: rooms.show(texts.view[id]), run: () => show(id) })));
  const isOpen = view === 'rooms' && room !== '';
  return (
    <div className={classes(styles.panes, isOpen && styles.withDetails)}>
      <div className={branchStyles.home}>
        <div className={branchStyles.title}>
          <h1>{texts.title}</h1>
        </div>
        <div className={branchStyles.tabs}>
          <Tabs
            label={texts.views}
            value={view}
            tabs={DIRECTORY_VIEWS.map((value) => ({ value, label: texts.view[value] }))}
            onChange={show}
          />
        </div>
        <TabPanel value={view}>{view === 'rooms' ? <FoundRooms /> : <SentRequests />}</TabPanel>
      </div>
      {isOpen && <FoundRoom key={room} roomId={room} onClose={() => set({ room: '' })} />}
    </div>
  );
}

function FoundRooms() {
  const [{ q, room }, set] = useSearch(directoryParameters);
  const asked = q.trim();
  const input = { ...(asked === '' ? {} : { q: asked }), limit: 50 };
  const call = { name: 'room_directory.list', input } as const;
  const pages = usePages(call.name, input, { keepPrevious: true });
  const requests = useSentRequests();
  const rows = pages.data?.pages.flatMap((page) => page.rooms) ?? [];
  return (
    <>
      <div className={branchStyles.bar}>
        <SearchField label={texts.find} value={q} onChange={(next) => set({ q: next })} />
        <span className="third wide-only">{texts.note}</span>
        <span className="grow" />
        <CopyAs call={call} />
      </div>
      <Loaded answer={pages} call={call} rows={6}>
        {() =>
          rows.length === 0 ? (
            <NoneFound isLast={!pages.hasNextPage} isAsked={asked !== ''} onClear={() => set({ q: '' })} />
          ) : (
            <Table
              label={texts.title}
              columns={columnsOf(requests, q)}
              rows={rows}
              keyOf={({ room_id }) => room_id}
              selected={room}
              onOpen={({ room_id }) => set({ room: room_id })}
            />
          )
        }
      </Loaded>
      <ShowMore pages={pages} />
    </>
  );
}

type NoneFoundProps = {
  /** False: there are rooms that were not looked at yet. */
  isLast: boolean;
  isAsked: boolean;
  onClear: () => void;
};

function NoneFound({ isLast, isAsked, onClear }: NoneFoundProps) {
  if (!isLast) return <p className={`${styles.hint} second`}>{texts.noneSoFar}</p>;
  return (
    <div className={branchStyles.empty}>
      {isAsked ? (
        <EmptyState title={texts.noneMatches} actions={<Button onClick={onClear}>{texts.clear}</Button>} />
      ) : (
        <EmptyState title={texts.none}>
          <p className="second">{texts.noneHint}</p>
        </EmptyState>
      )}
    </div>
  );
}

const columnsOf = (requests: ReturnType<typeof useSentRequests>, q: string): readonly Column<ListedFoundRoom>[] => [
  {
    ...{ id: 'name', head: texts.columns.name, width: 260, phone: 'name' },
    cell: ({ room_id, name }) => (
      <span className={branchStyles.branch}>
        <Icon name="speech" />
        <a className="strong cut" href={hrefOfFoundRoom(room_id, q)} title={name}>
          {name}
        </a>
      </span>
    ),
  },
  {
    ...{ id: 'about', head: texts.columns.about, phone: 'detail' },
    cell: ({ description }) => <span className="second">{description}</span>,
  },
  {
    ...{ id: 'topics', head: texts.columns.topics, phone: 'hide' },
    cell: ({ topics }) => <span className="second">{topics.join(', ')}</span>,
  },
  {
    ...{ id: 'size', head: texts.columns.size, width: 148, phone: 'time' },
    cell: ({ account_count, agent_count }) => <span className="third">{rooms.counts(account_count, agent_count)}</span>,
  },
  {
    ...{ id: 'state', head: texts.columns.state, width: 104, phone: 'value' },
    cell: ({ room_id, member }) => {
      const status = requests.get(room_id)?.status;
      if (member) return <Tag>{texts.member}</Tag>;
      // Who was let in and is not there any more can ask again.
      return status === undefined || status === 'approved' ? null : (
        <Tag tone={ACCESS_TONES[status]}>{texts.statusOf[status]}</Tag>
      );
    },
  },
];

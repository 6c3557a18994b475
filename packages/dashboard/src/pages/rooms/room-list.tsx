import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { useRefreshOnEvents } from '../../data/use-refresh.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { ago, fullTimeOf } from '../../texts/format.ts';
import { roomDirectory } from '../../texts/room-directory.ts';
import { rooms as texts } from '../../texts/rooms.ts';
import { ui } from '../../texts/ui.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CallCode } from '../../ui/call-code.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Tag } from '../../ui/marks.tsx';
import { Menu } from '../../ui/menu.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from '../branches/branches.module.css';
import { ReceivedInvitations } from './received-invitations.tsx';
import { DIRECTORY } from './room-address.ts';
import { NewRoom, RedeemToken } from './room-dialogs.tsx';

type ListedRoom = Output<'rooms.list'>['rooms'][number];

const LISTS = ['rooms.list', 'room_invitations.list'] as const;
const INPUT = { limit: 50 };
const CALL = { name: 'rooms.list', input: INPUT } as const;
const TO_DIRECTORY = hrefOf('rooms', DIRECTORY);
const FIRST = { name: 'rooms.create', input: { name: 'Release planning' } } as const;

/** The rooms that the account is in, and invitations to others. */
export function RoomList() {
  const now = useNow();
  useCrumbs([{ label: texts.title }]);
  useRefreshOnEvents(LISTS, ({ event_type }) => event_type.startsWith('room_'));
  const [dialog, setDialog] = useState<'new' | 'redeem'>();
  const pages = usePages('rooms.list', INPUT);
  const rows = pages.data?.pages.flatMap((page) => page.rooms) ?? [];
  useCommands([
    { id: 'new-room', label: texts.create, keys: 'n', group: 'page', run: () => setDialog('new') },
    { id: 'redeem', label: texts.redeem, run: () => setDialog('redeem') },
    { id: 'find-room', label: roomDirectory.open, keys: 'f', group: 'page', run: () => navigate(TO_DIRECTORY) },
  ]);
  return (
    <>
      <div className={styles.title}>
        <h1>{texts.title}</h1>
      </div>
      <div className={styles.bar}>
        <span className="third wide-only">{texts.note}</span>
        <span className="grow" />
        <CopyAs call={CALL} />
        <ButtonLink href={TO_DIRECTORY}>{roomDirectory.open}</ButtonLink>
        <Button kind="ink" onClick={() => setDialog('new')}>
          {texts.create}
        </Button>
        <Menu
          label={ui.more}
          icon="dots"
          items={[{ id: 'redeem', label: texts.redeem, onSelect: () => setDialog('redeem') }]}
        />
      </div>
      <ReceivedInvitations />
      <Loaded answer={pages} call={CALL} rows={6}>
        {() =>
          rows.length === 0 ? (
            <div className={styles.empty}>
              <EmptyState title={texts.none}>
                <p className="second">{texts.noneHint}</p>
                <CallCode label={texts.create} calls={[FIRST]} />
              </EmptyState>
            </div>
          ) : (
            <Table
              label={texts.title}
              columns={columnsAt(now)}
              rows={rows}
              keyOf={({ room_id }) => room_id}
              onOpen={({ room_id }) => navigate(hrefOf('rooms', room_id))}
            />
          )
        }
      </Loaded>
      <ShowMore pages={pages} />
      {dialog === 'new' && <NewRoom onClose={() => setDialog(undefined)} />}
      {dialog === 'redeem' && <RedeemToken onClose={() => setDialog(undefined)} />}
    </>
  );
}

const columnsAt = (now: number): readonly Column<ListedRoom>[] => [
  {
    ...{ id: 'name', head: texts.columns.name, phone: 'name' },
    cell: ({ room_id, name }) => (
      <span className={styles.branch}>
        <Icon name="speech" />
        <a className="strong cut" href={hrefOf('rooms', room_id)} title={name}>
          {name}
        </a>
        <code className="third cut wide-only">{texts.path(room_id)}</code>
      </span>
    ),
  },
  {
    ...{ id: 'label', head: texts.columns.label, width: 200, phone: 'detail' },
    cell: ({ label }) => <span className="second">{label}</span>,
  },
  {
    ...{ id: 'role', head: texts.columns.role, width: 120, phone: 'value' },
    cell: ({ role }) => <Tag>{texts.roles[role]}</Tag>,
  },
  {
    ...{ id: 'joined', head: texts.columns.joined, width: 110, phone: 'time' },
    cell: ({ joined_at }) => (
      <time className="third" dateTime={joined_at} title={fullTimeOf(joined_at)}>
        {ago(joined_at, now)}
      </time>
    ),
  },
];

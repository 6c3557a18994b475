import { useState } from 'react';
import { DASHBOARD_AGENT } from '../../data/client.ts';
import { problemOf } from '../../data/problem.ts';
import { useAction } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { rooms as texts } from '../../texts/rooms.ts';
import { ui } from '../../texts/ui.ts';
import { Button } from '../../ui/button.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { TypedConfirmation } from '../../ui/dialog.tsx';
import { Tag } from '../../ui/marks.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import branchStyles from '../branches/branches.module.css';
import { GrantAccess } from './access-requests.tsx';
import { MEMBER_ANSWERS, type WholeRoom } from './room-data.ts';
import { EditRoom, InviteAccount } from './room-dialogs.tsx';
import styles from './rooms.module.css';

type RoomDialog = 'invite' | 'grant' | 'edit' | 'end';

/** What the room is called, and what can be done with it. */
export function RoomHead({ room }: { room: WholeRoom }) {
  const { room_id, name, description, role, joined, discoverable } = room;
  const [dialog, setDialog] = useState<RoomDialog>();
  const close = () => setDialog(undefined);
  const { join, leave, discover, error } = useRoomActions(room);
  const isOwner = role === 'owner';
  const items: MenuItem[] = [
    ...(isOwner
      ? [
          { id: 'edit', label: texts.edit, onSelect: () => setDialog('edit') },
          { id: 'grant', label: texts.grant, onSelect: () => setDialog('grant') },
          { id: 'discover', label: discoverable ? texts.hide : texts.discover, onSelect: discover },
        ]
      : []),
    {
      id: 'end',
      label: isOwner ? texts.closeRoom.action : texts.leaveRoom.action,
      danger: true,
      onSelect: () => setDialog('end'),
    },
  ];
  useCommands([
    joined ? { id: 'leave', label: texts.leave, run: leave } : { id: 'join', label: texts.join, run: join },
    ...(isOwner
      ? [
          { id: 'edit', label: texts.edit, keys: 'e', group: 'page' as const, run: () => setDialog('edit') },
          { id: 'invite', label: texts.invite, run: () => setDialog('invite') },
          { id: 'grant', label: texts.grant, run: () => setDialog('grant') },
        ]
      : []),
  ]);
  return (
    <header className={branchStyles.head}>
      <div className={branchStyles.headLine}>
        <h1>{name}</h1>
        <Tag>{texts.roles[role]}</Tag>
        {discoverable && <Tag tone="warn">{texts.discoverable}</Tag>}
        <span className="grow" />
        {!joined && (
          <Button kind="ink" onClick={join}>
            {texts.join}
          </Button>
        )}
        {isOwner && <Button onClick={() => setDialog('invite')}>{texts.invite}</Button>}
        {joined && <Button onClick={leave}>{texts.leave}</Button>}
        <CopyAs call={{ name: 'rooms.read', input: { room_id } }} />
        <Menu label={ui.more} icon="dots" items={items} />
      </div>
      {description !== '' && <p className={`${styles.content} second prose`}>{description}</p>}
      {error !== null && <ErrorState error={error} isAction />}
      {dialog === 'invite' && <InviteAccount roomId={room_id} onClose={close} />}
      {dialog === 'grant' && <GrantAccess roomId={room_id} onClose={close} />}
      {dialog === 'edit' && <EditRoom room={room} onClose={close} />}
      {dialog === 'end' && <EndRoom room={room} onClose={close} />}
    </header>
  );
}

function useRoomActions({ room_id, discoverable }: WholeRoom) {
  const join = useAction('rooms.join', { changes: MEMBER_ANSWERS, onDone: () => showToast(texts.joined) });
  const leave = useAction('rooms.leave', {
    changes: MEMBER_ANSWERS,
    onDone: () => showToast(texts.left, () => join.mutate({ room_id })),
  });
  const update = useAction('rooms.update', {
    changes: MEMBER_ANSWERS,
    onDone: (room) => showToast(room.discoverable ? texts.nowDiscoverable : texts.nowHidden),
  });
  return {
    error: join.error ?? leave.error ?? update.error,
    join: () => join.mutate({ room_id }),
    leave: () => leave.mutate({ room_id, agent_id: DASHBOARD_AGENT }),
    discover: () => update.mutate({ room_id, discoverable: !discoverable }),
  };
}

/** The owner closes a room for all, every other account goes alone. Nothing undoes either. */
function EndRoom({ room: { room_id, role, label }, onClose }: { room: WholeRoom; onClose: () => void }) {
  const words = role === 'owner' ? texts.closeRoom : texts.leaveRoom;
  const onDone = () => {
    onClose();
    showToast(words.done);
    navigate(hrefOf('rooms'));
  };
  const closed = useAction('rooms.close', { changes: ['rooms.list'], onDone });
  const removed = useAction('rooms.remove_account', { changes: ['rooms.list'], onDone });
  const end = role === 'owner' ? closed : removed;
  return (
    <TypedConfirmation
      title={words.title}
      expected={room_id}
      action={words.action}
      busy={end.isPending}
      error={end.isError ? problemOf(end.error).detail : undefined}
      onConfirm={() => (role === 'owner' ? closed.mutate({ room_id }) : removed.mutate({ room_id, label }))}
      onClose={onClose}
    >
      <p className="second">{words.hint}</p>
    </TypedConfirmation>
  );
}

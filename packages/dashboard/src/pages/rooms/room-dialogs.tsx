import { useState } from 'react';
import { useAction } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { rooms } from '../../texts/rooms.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/choices.tsx';
import { Code } from '../../ui/code.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { showToast } from '../../ui/toast.tsx';
import { FormDialog } from '../branches/form-dialog.tsx';
import { MEMBER_ANSWERS, type WholeRoom } from './room-data.ts';

export function NewRoom({ onClose }: { onClose: () => void }) {
  const texts = rooms.newRoom;
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [label, setLabel] = useState('');
  const create = useAction('rooms.create', {
    changes: ['rooms.list'],
    onDone: ({ room_id }) => {
      onClose();
      navigate(hrefOf('rooms', room_id));
    },
  });
  const given = label.trim() === '' ? {} : { label: label.trim() };
  return (
    <FormDialog
      title={texts.title}
      submit={texts.submit}
      busy={create.isPending}
      error={create.error}
      disabled={name.trim() === ''}
      onSubmit={() => create.mutate({ name: name.trim(), description, ...given })}
      onClose={onClose}
    >
      <RoomWords {...{ texts, name, setName, description, setDescription }} />
      <Field label={texts.label}>
        {(field) => (
          <input {...field} autoComplete="off" value={label} onChange={(event) => setLabel(event.target.value)} />
        )}
      </Field>
      <p className="third small">{texts.labelHint}</p>
    </FormDialog>
  );
}

/** The owner changes what it is called and what it is for. */
export function EditRoom({ room, onClose }: { room: WholeRoom; onClose: () => void }) {
  const { title, submit } = rooms.editForm;
  const texts = rooms.newRoom;
  const [name, setName] = useState(room.name);
  const [description, setDescription] = useState(room.description);
  const update = useAction('rooms.update', { changes: MEMBER_ANSWERS, onDone: onClose });
  return (
    <FormDialog
      title={title}
      submit={submit}
      busy={update.isPending}
      error={update.error}
      disabled={name.trim() === ''}
      onSubmit={() => update.mutate({ room_id: room.room_id, name: name.trim(), description })}
      onClose={onClose}
    >
      <RoomWords {...{ texts, name, setName, description, setDescription }} />
    </FormDialog>
  );
}

type RoomWordsProps = {
  texts: { name: string; description: string };
  name: string;
  setName: (name: string) => void;
  description: string;
  setDescription: (description: string) => void;
};

const RoomWords = ({ texts, name, setName, description, setDescription }: RoomWordsProps) => (
  <>
    <Field label={texts.name}>
      {(field) => (
        <input {...field} required maxLength={128} value={name} onChange={(event) => setName(event.target.value)} />
      )}
    </Field>
    <Field label={texts.description}>
      {(field) => (
        <textarea
          {...field}
          maxLength={2000}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
      )}
    </Field>
  </>
);

export function RedeemToken({ onClose }: { onClose: () => void }) {
  const texts = rooms.redeemForm;
  const [token, setToken] = useState('');
  const redeem = useAction('room_invitations.redeem', {
    changes: ['rooms.list', 'room_invitations.list'],
    onDone: ({ room_id }) => {
      onClose();
      showToast(texts.done);
      navigate(hrefOf('rooms', room_id));
    },
  });
  return (
    <FormDialog
      title={texts.title}
      submit={texts.submit}
      busy={redeem.isPending}
      error={redeem.error}
      disabled={token.trim() === ''}
      onSubmit={() => redeem.mutate({ token: token.trim() })}
      onClose={onClose}
    >
      <Field label={texts.token}>
        {(field) => (
          <input
            {...field}
            type="password"
            required
            autoComplete="off"
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

/** Invites an account, or shows a token to hand over, once. */
export function InviteAccount({ roomId, onClose }: { roomId: string; onClose: () => void }) {
  const texts = rooms.inviteForm;
  const [account, setAccount] = useState('');
  const [token, setToken] = useState<string>();
  const invite = useAction('rooms.invite', {
    changes: ['rooms.list_invitations'],
    onDone: (made) => {
      if (made.token !== null) return setToken(made.token);
      onClose();
      showToast(texts.done);
    },
  });
  if (token !== undefined)
    return (
      <Dialog title={texts.tokenTitle} onClose={onClose} required>
        <p className="second">{texts.tokenHint}</p>
        <Code label={texts.token} text={token} wrap />
        <DialogActions>
          <CopyButton text={token} label={texts.copy} />
          <Button kind="ink" onClick={onClose}>
            {texts.close}
          </Button>
        </DialogActions>
      </Dialog>
    );
  const given = account.trim() === '' ? {} : { account_id: account.trim() };
  return (
    <FormDialog
      title={texts.title}
      submit={texts.submit}
      busy={invite.isPending}
      error={invite.error}
      onSubmit={() => invite.mutate({ room_id: roomId, ...given })}
      onClose={onClose}
    >
      <p className="second">{texts.hint}</p>
      <Field label={texts.account}>
        {(field) => (
          <input {...field} autoComplete="off" value={account} onChange={(event) => setAccount(event.target.value)} />
        )}
      </Field>
    </FormDialog>
  );
}

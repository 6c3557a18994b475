import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { useAction, useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { useCommands } from '../../shell/commands.ts';
import { day, dayAndTime } from '../../texts/format.ts';
import { roomDirectory as texts } from '../../texts/room-directory.ts';
import { rooms } from '../../texts/rooms.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Field } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Inspector } from '../../ui/inspector.tsx';
import { Facts } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import { FormDialog } from '../branches/form-dialog.tsx';
import { DIRECTORY_ANSWERS } from './room-data.ts';
import styles from './rooms.module.css';
import { useSentRequests } from './sent-requests.tsx';

type ReadFoundRoom = Output<'room_directory.read'>;

/** What the directory shows of a room, beside the list of them, and how to come in. */
export function FoundRoom({ roomId, onClose }: { roomId: string; onClose: () => void }) {
  const call = { name: 'room_directory.read', input: { room_id: roomId } } as const;
  const answer = useOperation(call.name, call.input, { keepPrevious: false });
  const name = answer.data?.name ?? roomId;
  return (
    <Inspector label={texts.room(name)} title={name} onClose={onClose}>
      <Loaded answer={answer} call={call}>
        {(room) => (
          <>
            <About room={room} />
            <Access room={room} />
          </>
        )}
      </Loaded>
      <div>
        <CopyAs call={call} />
      </div>
    </Inspector>
  );
}

function About({ room: { room_id, description, topics, account_count, agent_count } }: { room: ReadFoundRoom }) {
  return (
    <>
      {description === '' ? (
        <p className="third">{texts.noAbout}</p>
      ) : (
        <p className={`${styles.content} prose`}>{description}</p>
      )}
      <Facts
        facts={[
          { name: texts.facts.id, value: <code>{room_id}</code> },
          { name: texts.facts.size, value: rooms.counts(account_count, agent_count) },
          { name: texts.facts.topics, value: topics.length === 0 ? texts.noTopics : <Titles titles={topics} /> },
        ]}
      />
    </>
  );
}

const Titles = ({ titles }: { titles: readonly string[] }) => (
  <ul>
    {titles.map((title, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: two topics may have one title.
      <li key={i}>{title}</li>
    ))}
  </ul>
);

/** How the account stands to the room: in it, waiting for an answer, or free to ask. */
function Access({ room: { room_id, name, member } }: { room: ReadFoundRoom }) {
  const [isAsking, setAsking] = useState(false);
  const sent = useSentRequests().get(room_id);
  const mayAsk = !member && (sent === undefined || sent.status === 'approved');
  useCommands(
    mayAsk ? [{ id: 'ask', label: texts.request, keys: 'a', group: 'page', run: () => setAsking(true) }] : [],
  );
  if (member)
    return (
      <div className="stack">
        <p className="second">{texts.isMember}</p>
        <div>
          <ButtonLink href={hrefOf('rooms', room_id)}>{texts.openRoom}</ButtonLink>
        </div>
      </div>
    );
  if (!mayAsk)
    return (
      <p className={sent?.status === 'declined' ? 'bad' : 'second'}>
        {sent?.status === 'declined'
          ? texts.declined(day(sent.expires_at))
          : texts.waiting(dayAndTime(sent?.created_at ?? ''))}
      </p>
    );
  return (
    <div>
      <Button kind="ink" onClick={() => setAsking(true)}>
        {texts.request}
      </Button>
      {isAsking && <RequestAccess roomId={room_id} name={name} onClose={() => setAsking(false)} />}
    </div>
  );
}

type RequestProps = { roomId: string; name: string; onClose: () => void };

function RequestAccess({ roomId, name, onClose }: RequestProps) {
  const form = texts.requestForm;
  const [message, setMessage] = useState('');
  const [label, setLabel] = useState('');
  const request = useAction('room_directory.request_access', {
    changes: DIRECTORY_ANSWERS,
    onDone: ({ status }) => {
      onClose();
      showToast(form.done[status]);
    },
  });
  const given = label.trim() === '' ? {} : { label: label.trim() };
  return (
    <FormDialog
      title={form.title(name)}
      submit={form.submit}
      busy={request.isPending}
      error={request.error}
      onSubmit={() => request.mutate({ room_id: roomId, message: message.trim(), ...given })}
      onClose={onClose}
    >
      <p className="second">{form.hint}</p>
      <Field label={form.message}>
        {(field) => (
          <textarea {...field} maxLength={1000} value={message} onChange={(event) => setMessage(event.target.value)} />
        )}
      </Field>
      <Field label={form.label} hint={rooms.newRoom.labelHint}>
        {(field) => (
          <input {...field} autoComplete="off" value={label} onChange={(event) => setLabel(event.target.value)} />
        )}
      </Field>
    </FormDialog>
  );
}

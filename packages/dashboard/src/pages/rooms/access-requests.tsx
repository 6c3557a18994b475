import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { useAction, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { ago, day, fullTimeOf, number } from '../../texts/format.ts';
import { rooms as texts } from '../../texts/rooms.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Section } from '../../ui/section.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { ErrorState, Loaded } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import { FormDialog } from '../branches/form-dialog.tsx';
import { MEMBER_ANSWERS, type WholeRoom } from './room-data.ts';
import styles from './rooms.module.css';

type RoomRequest = Output<'rooms.list_access_requests'>['access_requests'][number];

/** Accounts that wait for the answer of the owner. A room that cannot be found has none, but those from before. */
export function AccessRequests({ room: { room_id, discoverable } }: { room: WholeRoom }) {
  const now = useNow();
  const [declined, setDeclined] = useState<RoomRequest>();
  const call = { name: 'rooms.list_access_requests', input: { room_id, limit: 50 } } as const;
  const pages = usePages(call.name, call.input);
  const approve = useAction('rooms.approve_access', {
    changes: MEMBER_ANSWERS,
    onDone: ({ agent }) => showToast(texts.approved(agent)),
  });
  const requests = pages.data?.pages.flatMap((page) => page.access_requests) ?? [];
  if (!discoverable && !pages.isError && requests.length === 0) return null;
  return (
    <Section
      title={texts.accessRequests}
      note={requests.length > 0 ? number(requests.length) : undefined}
      actions={<CopyAs call={call} />}
    >
      <Loaded answer={pages} call={call} rows={2}>
        {() =>
          requests.length === 0 ? (
            <p className="third">{texts.noAccessRequests}</p>
          ) : (
            <ul className={styles.requests}>
              {requests.map((request) => (
                <AskedAccess
                  key={request.access_request_id}
                  request={request}
                  now={now}
                  isBusy={approve.isPending}
                  onApprove={() => approve.mutate({ room_id, access_request_id: request.access_request_id })}
                  onDecline={() => setDeclined(request)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {approve.error !== null && <ErrorState error={approve.error} isAction />}
      <ShowMore pages={pages} />
      {declined && <DeclineAccess request={declined} onClose={() => setDeclined(undefined)} />}
    </Section>
  );
}

type AskedProps = {
  request: RoomRequest;
  now: number;
  isBusy: boolean;
  onApprove: () => void;
  onDecline: () => void;
};

function AskedAccess({ request: { agent, message, created_at }, now, isBusy, onApprove, onDecline }: AskedProps) {
  return (
    <li className={styles.request}>
      <div className={styles.line}>
        <span className="strong cut" title={agent}>
          {agent}
        </span>
        <span className="grow" />
        <time className="third small" dateTime={created_at} title={fullTimeOf(created_at)}>
          {ago(created_at, now)}
        </time>
      </div>
      {message !== '' && <p className={`${styles.content} second prose`}>{message}</p>}
      <div className="line">
        <Button aria-label={texts.approveOf(agent)} disabled={isBusy} onClick={onApprove}>
          {texts.approve}
        </Button>
        <Button kind="quiet" aria-label={texts.declineOf(agent)} onClick={onDecline}>
          {texts.decline}
        </Button>
      </div>
    </li>
  );
}

/** It is asked for once more: nothing takes it back, and who asked cannot ask again for a month. */
function DeclineAccess({ request, onClose }: { request: RoomRequest; onClose: () => void }) {
  const { room_id, access_request_id, agent, expires_at } = request;
  const form = texts.declineForm;
  const decline = useAction('rooms.decline_access', {
    changes: ['rooms.list_access_requests'],
    onDone: () => {
      onClose();
      showToast(form.done);
    },
  });
  return (
    <FormDialog
      title={texts.declineOf(agent)}
      submit={form.submit}
      busy={decline.isPending}
      error={decline.error}
      onSubmit={() => decline.mutate({ room_id, access_request_id })}
      onClose={onClose}
    >
      <p className="second">{form.hint(day(expires_at))}</p>
    </FormDialog>
  );
}

/** Lets an account in that has asked, and invites one that has not. */
export function GrantAccess({ roomId, onClose }: { roomId: string; onClose: () => void }) {
  const form = texts.grantForm;
  const [account, setAccount] = useState('');
  const grant = useAction('rooms.grant_access', {
    changes: MEMBER_ANSWERS,
    onDone: ({ admitted }) => {
      onClose();
      showToast(admitted ? form.admitted : form.invited);
    },
  });
  return (
    <FormDialog
      title={form.title}
      submit={form.submit}
      busy={grant.isPending}
      error={grant.error}
      disabled={account.trim() === ''}
      onSubmit={() => grant.mutate({ room_id: roomId, account_id: account.trim() })}
      onClose={onClose}
    >
      <p className="second">{form.hint}</p>
      <Field label={form.account}>
        {(field) => (
          <input
            {...field}
            required
            autoComplete="off"
            spellCheck={false}
            value={account}
            onChange={(event) => setAccount(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

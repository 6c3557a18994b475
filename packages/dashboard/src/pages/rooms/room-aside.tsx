import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { problemOf } from '../../data/problem.ts';
import { useAction, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { ago, dayAndTime, fullTimeOf, number } from '../../texts/format.ts';
import { rooms as texts } from '../../texts/rooms.ts';
import { Button } from '../../ui/button.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { TypedConfirmation } from '../../ui/dialog.tsx';
import { Tag } from '../../ui/marks.tsx';
import { Facts, Section } from '../../ui/section.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { ErrorState, Loaded } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import { AccessRequests } from './access-requests.tsx';
import { MEMBER_ANSWERS, type WholeRoom } from './room-data.ts';
import styles from './rooms.module.css';

/** What is known of a room, and who is in it. */
export function RoomAside({ room }: { room: WholeRoom }) {
  const { room_id, label, role, created_at } = room;
  return (
    <>
      <Section title={texts.about}>
        <Facts
          facts={[
            {
              name: texts.facts.path,
              value: (
                <a className={`link mono ${styles.content}`} href={hrefOf('memory', `@${room_id}`)}>
                  {texts.path(room_id)}
                </a>
              ),
            },
            { name: texts.facts.label, value: <code>{label}</code> },
            { name: texts.facts.made, value: <time dateTime={created_at}>{dayAndTime(created_at)}</time> },
          ]}
        />
      </Section>
      {role === 'owner' && <AccessRequests room={room} />}
      <Accounts room={room} />
      <Members roomId={room_id} />
      {role === 'owner' && <OpenInvitations roomId={room_id} />}
    </>
  );
}

function Accounts({ room: { room_id, role, label: own, accounts } }: { room: WholeRoom }) {
  const [removing, setRemoving] = useState<string>();
  const remove = useAction('rooms.remove_account', {
    changes: MEMBER_ANSWERS,
    onDone: ({ label }) => {
      setRemoving(undefined);
      showToast(texts.removed(label));
    },
  });
  return (
    <Section title={texts.accounts} note={number(accounts.length)}>
      <ul className={styles.lines}>
        {accounts.map((account) => (
          <li key={account.label} className={styles.line}>
            <span className="strong cut">{account.label}</span>
            {account.role === 'owner' && <Tag>{texts.roles.owner}</Tag>}
            <span className="grow" />
            <span className="third small">{texts.agentsOf(account.agent_count)}</span>
            {role === 'owner' && account.label !== own && (
              <Button
                kind="quiet"
                icon="close"
                aria-label={texts.remove(account.label)}
                onClick={() => setRemoving(account.label)}
              />
            )}
          </li>
        ))}
      </ul>
      {removing !== undefined && (
        <TypedConfirmation
          title={texts.remove(removing)}
          expected={removing}
          action={texts.removeAction}
          busy={remove.isPending}
          error={remove.isError ? problemOf(remove.error).detail : undefined}
          onConfirm={() => remove.mutate({ room_id, label: removing })}
          onClose={() => setRemoving(undefined)}
        >
          <p className="second">{texts.removeHint}</p>
        </TypedConfirmation>
      )}
    </Section>
  );
}

function Members({ roomId }: { roomId: string }) {
  const now = useNow();
  const call = { name: 'rooms.members', input: { room_id: roomId, limit: 100 } } as const;
  const pages = usePages(call.name, call.input);
  const members = pages.data?.pages.flatMap((page) => page.members) ?? [];
  return (
    <Section title={texts.members} actions={<CopyAs call={call} />}>
      <Loaded answer={pages} call={call} rows={2}>
        {() =>
          members.length === 0 ? (
            <p className="third">{texts.noMembers}</p>
          ) : (
            <ul className={styles.lines}>
              {members.map(({ agent, joined_at }) => (
                <li key={agent} className={styles.line}>
                  <span className="cut" title={agent}>
                    {agent}
                  </span>
                  <span className="grow" />
                  <time className="third small" dateTime={joined_at} title={fullTimeOf(joined_at)}>
                    {ago(joined_at, now)}
                  </time>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <ShowMore pages={pages} />
    </Section>
  );
}

type RoomInvitation = Output<'rooms.list_invitations'>['invitations'][number];

/** Those that nobody has answered yet; nothing where there are none. */
function OpenInvitations({ roomId }: { roomId: string }) {
  const pages = usePages('rooms.list_invitations', { room_id: roomId, limit: 50 });
  const withdraw = useAction('rooms.withdraw_invitation', {
    changes: ['rooms.list_invitations'],
    onDone: () => showToast(texts.withdrawn),
  });
  const invitations = pages.data?.pages.flatMap((page) => page.invitations) ?? [];
  if (invitations.length === 0) return null;
  const nameOf = ({ account_id }: RoomInvitation) => account_id ?? texts.byToken;
  return (
    <Section title={texts.openInvitations}>
      <ul className={styles.lines}>
        {invitations.map((invitation) => (
          <li key={invitation.invitation_id} className={styles.line}>
            <span className="cut" title={nameOf(invitation)}>
              {nameOf(invitation)}
            </span>
            <span className="grow" />
            <time className="third small" dateTime={invitation.expires_at} title={fullTimeOf(invitation.expires_at)}>
              {texts.until(dayAndTime(invitation.expires_at))}
            </time>
            <Button
              kind="quiet"
              icon="close"
              aria-label={texts.withdraw(nameOf(invitation))}
              onClick={() => withdraw.mutate({ room_id: roomId, invitation_id: invitation.invitation_id })}
            />
          </li>
        ))}
      </ul>
      {withdraw.error !== null && <ErrorState error={withdraw.error} isAction />}
      <ShowMore pages={pages} />
    </Section>
  );
}

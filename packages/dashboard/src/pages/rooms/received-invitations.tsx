import { useAction, usePages } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { rooms as texts } from '../../texts/rooms.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/section.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from './rooms.module.css';

const CHANGES = ['room_invitations.list', 'rooms.list'] as const;

/** Invitations that the account has not answered; nothing where there are none. */
export function ReceivedInvitations() {
  const pages = usePages('room_invitations.list', { limit: 20 });
  const accept = useAction('room_invitations.accept', {
    changes: CHANGES,
    onDone: ({ room_id }) => navigate(hrefOf('rooms', room_id)),
  });
  const decline = useAction('room_invitations.decline', {
    changes: CHANGES,
    onDone: () => showToast(texts.declined),
  });
  const invitations = pages.data?.pages.flatMap((page) => page.invitations) ?? [];
  const error = accept.error ?? decline.error;
  if (invitations.length === 0) return null;
  return (
    <Section title={texts.invitations}>
      <ul className={styles.lines}>
        {invitations.map(({ invitation_id, room_name, invited_by }) => (
          <li key={invitation_id} className={styles.line}>
            <p className={`${styles.invitation} grow`}>
              <span className="strong">{room_name}</span> <span className="third">{texts.invitedBy(invited_by)}</span>
            </p>
            <Button onClick={() => decline.mutate({ invitation_id })}>{texts.decline}</Button>
            <Button kind="ink" onClick={() => accept.mutate({ invitation_id })}>
              {texts.accept}
            </Button>
          </li>
        ))}
      </ul>
      {error !== null && <ErrorState error={error} isAction />}
      <ShowMore pages={pages} />
    </Section>
  );
}

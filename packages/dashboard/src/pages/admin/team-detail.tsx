import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { problemOf } from '../../data/problem.ts';
import { useAction, usePages } from '../../data/query.ts';
import { admin } from '../../texts/admin.ts';
import { number } from '../../texts/format.ts';
import { teamsTexts as texts } from '../../texts/transfer.ts';
import { ui } from '../../texts/ui.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/choices.tsx';
import { Dialog, DialogActions, TypedConfirmation } from '../../ui/dialog.tsx';
import { Section } from '../../ui/section.tsx';
import { Select } from '../../ui/select.tsx';
import { Loaded } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from './admin.module.css';
import { DetailHead } from './panes.tsx';
import type { ListedTeam } from './teams-page.tsx';

type ListedMember = Output<'members.list'>['members'][number];
const ROLES = ['viewer', 'developer', 'admin'] as const;
type Role = (typeof ROLES)[number];
const ROLE_CHOICES = ROLES.map((value) => ({ value, label: texts.roles[value] }));
const CHANGES = ['members.list', 'teams.list'] as const;

/** A team: who is in it, with which role. */
export function TeamDetail({ team, onClose }: { team: ListedTeam; onClose: () => void }) {
  const [asking, setAsking] = useState<'add' | 'delete'>();
  const input = { team_id: team.team_id, limit: 100 };
  const pages = usePages('members.list', input);
  const members = pages.data?.pages.flatMap((page) => page.members) ?? [];
  const remove = useAction('teams.delete', {
    changes: ['teams.list'],
    onDone: () => {
      onClose();
      showToast(texts.deleted(team.name));
    },
  });
  return (
    <>
      <DetailHead title={team.name} note={<p className="second">{team.description}</p>} onClose={onClose} />
      <Section
        title={texts.members}
        note={number(team.member_count)}
        actions={<Button onClick={() => setAsking('add')}>{texts.addMember}</Button>}
      >
        <Loaded answer={{ ...pages, data: pages.data?.pages[0] }} call={{ name: 'members.list', input }}>
          {() =>
            members.length === 0 ? (
              <p className="third">{texts.noMembers}</p>
            ) : (
              <ul className={styles.members}>
                {members.map((member) => (
                  <Member key={member.member_id} member={member} />
                ))}
              </ul>
            )
          }
        </Loaded>
        {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>{admin.more}</Button>}
      </Section>
      <div className={styles.foot}>
        <Button kind="danger" onClick={() => setAsking('delete')}>
          {texts.delete}
        </Button>
      </div>
      {asking === 'add' && <MemberForm team={team} onClose={() => setAsking(undefined)} />}
      {asking === 'delete' && (
        <TypedConfirmation
          title={texts.deleteTitle(team.name)}
          expected={team.slug}
          action={texts.delete}
          busy={remove.isPending}
          error={remove.isError ? problemOf(remove.error).detail : undefined}
          onConfirm={() => remove.mutate({ team_id: team.team_id })}
          onClose={() => setAsking(undefined)}
        >
          <p className="second">{texts.deleteHint}</p>
        </TypedConfirmation>
      )}
    </>
  );
}

function Member({ member }: { member: ListedMember }) {
  const { team_id, member_id, email, display_name, role } = member;
  const who = { team_id, member_id };
  const onError = (error: unknown) => showToast(problemOf(error).detail);
  const reinstate = useAction('members.reinstate', { changes: CHANGES });
  const back = useAction('members.update', { changes: CHANGES });
  // Shown as soon as it is done: after that the list is asked again, and this row may be gone.
  const change = useAction('members.update', {
    changes: CHANGES,
    onDone: (changed) =>
      showToast(texts.member.changed(email, texts.roles[changed.role]), () =>
        back.mutate({ ...who, role }, { onError }),
      ),
  });
  const remove = useAction('members.remove', {
    changes: CHANGES,
    onDone: () => showToast(texts.member.removed(email), () => reinstate.mutate(who, { onError })),
  });
  const setRole = (next: Role) => change.mutate({ ...who, role: next }, { onError });
  const takeOut = () => remove.mutate(who, { onError });
  return (
    <li className={styles.member}>
      <div>
        <div className="cut strong" title={display_name || email}>
          {display_name || email}
        </div>
        {display_name !== '' && (
          <div className="cut third small" title={email}>
            {email}
          </div>
        )}
      </div>
      <Select
        label={texts.member.roleOf(email)}
        hint={texts.roleHints[role]}
        value={role}
        choices={ROLE_CHOICES}
        onChange={setRole}
      />
      <Button
        kind="quiet"
        icon="close"
        aria-label={texts.member.remove(email)}
        busy={remove.isPending}
        onClick={takeOut}
      />
    </li>
  );
}

function MemberForm({ team, onClose }: { team: ListedTeam; onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('developer');
  const add = useAction('members.add', {
    changes: CHANGES,
    onDone: (member) => {
      onClose();
      showToast(texts.member.added(member.email));
    },
  });
  return (
    <Dialog title={texts.member.title(team.name)} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate({ team_id: team.team_id, email: email.trim(), display_name: name.trim(), role });
        }}
      >
        <Field label={texts.member.email} error={add.isError ? problemOf(add.error).detail : undefined}>
          {(field) => (
            <input
              {...field}
              type="email"
              required
              autoComplete="off"
              value={email}
              onChange={({ target }) => setEmail(target.value)}
            />
          )}
        </Field>
        <Field label={texts.member.name}>
          {(field) => (
            <input {...field} autoComplete="off" value={name} onChange={({ target }) => setName(target.value)} />
          )}
        </Field>
        <Field label={texts.member.role} hint={texts.roleHints[role]}>
          {(field) => <Select {...field} value={role} choices={ROLE_CHOICES} onChange={setRole} />}
        </Field>
        <DialogActions>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button kind="ink" submit busy={add.isPending} disabled={email.trim() === ''}>
            {texts.member.submit}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

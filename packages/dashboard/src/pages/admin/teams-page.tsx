import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { problemOf } from '../../data/problem.ts';
import { useAction, usePages } from '../../data/query.ts';
import { flagParameter, textParameter, useSearch } from '../../router/router.tsx';
import { admin } from '../../texts/admin.ts';
import { day, number } from '../../texts/format.ts';
import { pageTitles } from '../../texts/pages.ts';
import { teamsTexts as texts } from '../../texts/transfer.ts';
import { ui } from '../../texts/ui.ts';
import { Button } from '../../ui/button.tsx';
import { CallCode } from '../../ui/call-code.tsx';
import { Field } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from './admin.module.css';
import { AdminBar, Panes } from './panes.tsx';
import { TeamDetail } from './team-detail.tsx';

export type ListedTeam = Output<'teams.list'>['teams'][number];

const parameters = { team: textParameter(), create: flagParameter() };
const input = { limit: 100 };
const FIRST = { name: 'teams.create', input: { name: 'Payments', slug: 'payments' } } as const;
const call = { name: 'teams.list' as const, input };

/** Teams and their members. */
export function TeamsPage() {
  const [{ team: selected, create }, set] = useSearch(parameters);
  const pages = usePages('teams.list', input);
  const teams = pages.data?.pages.flatMap((page) => page.teams) ?? [];
  const shown = teams.find(({ team_id }) => team_id === selected);
  return (
    <Panes
      {...(shown ? { detail: <TeamDetail key={shown.team_id} team={shown} onClose={() => set({ team: '' })} /> } : {})}
    >
      <AdminBar title={pageTitles.teams}>
        <CopyAs call={call} />
        <Button kind="ink" onClick={() => set({ create: true })}>
          {texts.create}
        </Button>
      </AdminBar>
      <div className={`${styles.body} edges`}>
        <Loaded answer={{ ...pages, data: pages.data?.pages[0] }} rows={5} call={call}>
          {() =>
            teams.length === 0 ? (
              <div className={styles.note}>
                <EmptyState title={texts.nothing}>
                  <p className="second">{texts.nothingHint}</p>
                  <CallCode label={texts.create} calls={[FIRST]} />
                </EmptyState>
              </div>
            ) : (
              <Table
                label={pageTitles.teams}
                columns={COLUMNS}
                rows={teams}
                keyOf={({ team_id }) => team_id}
                selected={selected}
                onOpen={({ team_id }) => set({ team: team_id })}
              />
            )
          }
        </Loaded>
        {pages.hasNextPage && (
          <div className={styles.foot}>
            <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
              {admin.more}
            </Button>
          </div>
        )}
      </div>
      {create && (
        <TeamForm onClose={() => set({ create: false })} onMade={(team_id) => set({ create: false, team: team_id })} />
      )}
    </Panes>
  );
}

const COLUMNS: Column<ListedTeam>[] = [
  { id: 'name', head: texts.columns.name, phone: 'name', cell: ({ name }) => <span className="strong">{name}</span> },
  {
    id: 'slug',
    head: texts.columns.slug,
    phone: 'detail',
    cell: ({ slug }) => <span className="mono second">{slug}</span>,
  },
  {
    id: 'members',
    head: texts.columns.members,
    width: 92,
    end: true,
    phone: 'value',
    cell: ({ member_count }) => number(member_count),
  },
  {
    id: 'created',
    head: texts.columns.created,
    width: 110,
    end: true,
    phone: 'time',
    cell: ({ created_at }) => <span className="second small">{day(created_at)}</span>,
  },
];

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);

function TeamForm({ onClose, onMade }: { onClose: () => void; onMade: (team: string) => void }) {
  const [name, setName] = useState('');
  const [slug, setSlug] = useState<string>();
  const [description, setDescription] = useState('');
  const create = useAction('teams.create', { changes: ['teams.list'], onDone: ({ team_id }) => onMade(team_id) });
  const shownSlug = slug ?? slugOf(name);
  return (
    <Dialog title={texts.form.title} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate({ name: name.trim(), slug: shownSlug, description: description.trim() });
        }}
      >
        <Field label={texts.form.name}>
          {(field) => (
            <input
              {...field}
              required
              autoComplete="off"
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <Field
          label={texts.form.slug}
          hint={texts.form.slugHint}
          error={create.isError ? problemOf(create.error).detail : undefined}
        >
          {(field) => (
            <input
              {...field}
              required
              autoComplete="off"
              value={shownSlug}
              onChange={({ target }) => setSlug(target.value)}
            />
          )}
        </Field>
        <Field label={texts.form.description}>
          {(field) => (
            <input
              {...field}
              autoComplete="off"
              value={description}
              onChange={({ target }) => setDescription(target.value)}
            />
          )}
        </Field>
        <DialogActions>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button kind="ink" submit busy={create.isPending} disabled={name.trim() === '' || shownSlug === ''}>
            {texts.form.submit}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

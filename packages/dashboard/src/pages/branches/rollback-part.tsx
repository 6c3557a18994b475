import { useState } from 'react';
import type { Output, Request } from '../../data/client.ts';
import { problemOf } from '../../data/problem.ts';
import { useAction, usePages } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { choiceParameter, textParameter, useSearch } from '../../router/router.tsx';
import { branches } from '../../texts/branches.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { TypedConfirmation } from '../../ui/dialog.tsx';
import { comparable, Diff } from '../../ui/diff.tsx';
import { EntryName, Tag } from '../../ui/marks.tsx';
import { Section } from '../../ui/section.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { Loaded } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import { BRANCH_ANSWERS } from './branch-data.ts';
import styles from './branches.module.css';
import changed from './changed.module.css';
import { RefField } from './ref-field.tsx';

const texts = branches.rollback;
const KINDS = ['tag', 'at', 'seq'] as const;
type StateKind = (typeof KINDS)[number];
const parameters = {
  branch: textParameter('main'),
  by: choiceParameter<StateKind>('tag', KINDS),
  state: textParameter(),
  path: textParameter(),
  agent: textParameter(),
};
const PAGE = 50;

type RolledBack = Output<'rollback.run'>['changes'][number];
type RollbackForm = { branch: string; by: StateKind; state: string; path: string; agent: string };

function requestOf({ branch, by, state, path, agent }: RollbackForm): Request<'rollback.run'> {
  return {
    branch,
    ...(by === 'seq' ? { seq: Number(state) } : { [by]: state }),
    ...(path === '' ? {} : { entity_path: path }),
    ...(agent === '' ? {} : { written_by: agent }),
  };
}

/** Brings an earlier state back: first what would change, then the name of the branch typed. */
export function RollbackPart() {
  const [asked, set] = useSearch(parameters);
  const [form, setForm] = useState<RollbackForm>(asked);
  const change = (part: Partial<RollbackForm>) => setForm({ ...form, ...part });
  const plain = (
    label: string,
    name: 'state' | 'path' | 'agent',
    more: { placeholder?: string; required?: boolean } = {},
  ) => (
    <Field label={label}>
      {(field) => (
        <input
          {...field}
          {...more}
          className={`${field.className} mono`}
          value={form[name]}
          spellCheck={false}
          onChange={(event) => change({ [name]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <>
      <p className={`${styles.lead} second prose`}>{texts.hint}</p>
      <form
        className={styles.form}
        aria-label={texts.title}
        onSubmit={(event) => {
          event.preventDefault();
          set(form, { replace: false });
        }}
      >
        <RefField
          label={texts.branch}
          value={form.branch}
          onChange={(branch) => change({ branch })}
          isBranch
          isRequired
        />
        <Field label={texts.to}>
          {(field) => (
            <select {...field} value={form.by} onChange={(event) => change({ by: event.target.value as StateKind })}>
              {KINDS.map((kind) => (
                <option key={kind} value={kind}>
                  {texts.kinds[kind]}
                </option>
              ))}
            </select>
          )}
        </Field>
        {plain(texts.value[form.by], 'state', { required: true })}
        {plain(texts.path, 'path', { placeholder: branches.compare.pathHint })}
        {plain(texts.writtenBy, 'agent')}
        <div className={styles.formEnd}>
          <Button kind="ink" submit>
            {texts.submit}
          </Button>
        </div>
      </form>
      {asked.state === '' ? <p className={`${styles.lead} third`}>{texts.choose}</p> : <Preview asked={asked} />}
    </>
  );
}

function Preview({ asked }: { asked: RollbackForm }) {
  const [isConfirming, setConfirming] = useState(false);
  const request = requestOf(asked);
  const input = { ...request, dry_run: true, limit: PAGE };
  const call = { name: 'rollback.run', input } as const;
  const pages = usePages('rollback.run', input);
  const first = pages.data?.pages[0];
  const changes = pages.data?.pages.flatMap((page) => page.changes) ?? [];
  const isSomething = first !== undefined && first.entries_restored + first.entries_deleted > 0;
  const actions = (
    <>
      <CopyAs call={call} />
      {isSomething && (
        <Button kind="danger" onClick={() => setConfirming(true)}>
          {texts.run}
        </Button>
      )}
    </>
  );
  return (
    <Section
      bleed
      title={texts.preview}
      note={first && texts.counts(first.entries_restored, first.entries_deleted)}
      actions={actions}
      className={styles.last}
    >
      <Loaded answer={pages} call={call}>
        {() => (
          <>
            {!isSomething && <p className={`${styles.inset} third`}>{texts.nothing}</p>}
            {changes.map((one) => (
              <WouldChange key={`${one.entity_path}/${one.key}`} change={one} />
            ))}
            {first !== undefined && first.hidden > 0 && (
              <p className={`${changed.hidden} third`}>{texts.hidden(first.hidden)}</p>
            )}
          </>
        )}
      </Loaded>
      <ShowMore pages={pages} />
      {isConfirming && first && (
        <Confirm asked={asked} request={request} first={first} onClose={() => setConfirming(false)} />
      )}
    </Section>
  );
}

function WouldChange({ change }: { change: RolledBack }) {
  const { entity_path, key, action, version, restored_version, value, restored_value } = change;
  const name = `${entity_path}/${key}`;
  const text = (given: unknown) => (given === undefined ? '' : comparable(given));
  return (
    <article className={changed.changed} aria-label={name}>
      <header className={changed.head}>
        <a className={changed.name} href={hrefOf('memory', entity_path, { key })}>
          <EntryName path={entity_path} name={key} />
        </a>
        <Tag tone={action === 'delete' ? 'bad' : 'good'}>{texts[action]}</Tag>
        <span className="grow" />
        <span className="third small">{texts.versions(version, restored_version)}</span>
      </header>
      <div className={styles.inset}>
        <Diff label={name} before={text(value)} after={text(restored_value)} />
      </div>
    </article>
  );
}

type RollbackConfirmProps = {
  asked: RollbackForm;
  request: Request<'rollback.run'>;
  first: Output<'rollback.run'>;
  onClose: () => void;
};

function Confirm({ asked, request, first, onClose }: RollbackConfirmProps) {
  const { branch, state } = asked;
  const changes = { changes: [...BRANCH_ANSWERS, 'rollback.run' as const] };
  const undo = useAction('rollback.run', { ...changes, onDone: () => showToast(texts.undone) });
  const run = useAction('rollback.run', {
    ...changes,
    onDone: ({ entries_restored, entries_deleted, tag }) => {
      onClose();
      const back = tag === null ? undefined : () => undo.mutate({ branch, tag });
      showToast(texts.done(entries_restored, entries_deleted), back);
    },
  });
  return (
    <TypedConfirmation
      title={texts.confirmTitle}
      expected={branch}
      action={texts.action}
      busy={run.isPending}
      working={texts.working(texts.counts(first.entries_restored, first.entries_deleted))}
      error={run.error ? problemOf(run.error).detail : undefined}
      onConfirm={() => run.mutate(request)}
      onClose={onClose}
    >
      <p>{texts.confirm(branch, state, texts.counts(first.entries_restored, first.entries_deleted))}</p>
      <p className="second">{texts.hint}</p>
    </TypedConfirmation>
  );
}

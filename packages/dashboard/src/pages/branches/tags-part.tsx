import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { useAction, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { branches } from '../../texts/branches.ts';
import { Button } from '../../ui/button.tsx';
import { CallCode } from '../../ui/call-code.tsx';
import { Field } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Menu } from '../../ui/menu.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, ErrorState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { showToast } from '../../ui/toast.tsx';
import { BRANCH_ANSWERS } from './branch-data.ts';
import styles from './branches.module.css';
import { ageColumn, authorColumn } from './columns.tsx';
import { FormDialog } from './form-dialog.tsx';
import { RefField } from './ref-field.tsx';

const texts = branches.tags;
const PAGE = 50;

type ListedTag = Output<'tags.list'>['tags'][number];

const compareHref = ({ name, of_branch }: ListedTag) =>
  hrefOf('branches', '', { view: 'compare', from: `tags/${name}`, to: of_branch });

/** Names of states of memory. */
export function TagsPart() {
  const now = useNow();
  const [isCreating, setCreating] = useState(false);
  const input = { limit: PAGE };
  const pages = usePages('tags.list', input);
  const call = { name: 'tags.list', input } as const;
  const create = useAction('tags.create', { changes: BRANCH_ANSWERS });
  const remove = useAction('tags.delete', {
    changes: BRANCH_ANSWERS,
    onDone: ({ name, description, of_branch, seq }) =>
      showToast(texts.removed(name), () => create.mutate({ name, description, ref: of_branch, seq })),
  });
  useCommands([{ id: 'new-tag', label: texts.add, keys: 'n', group: 'page', run: () => setCreating(true) }]);
  const tags = pages.data?.pages.flatMap((page) => page.tags) ?? [];
  const error = remove.error ?? create.error;
  return (
    <>
      <div className={styles.bar}>
        <span className="third">{texts.note}</span>
        <span className="grow" />
        <CopyAs call={call} />
        <Button kind="ink" onClick={() => setCreating(true)}>
          {texts.add}
        </Button>
      </div>
      {error && (
        <div className={styles.inset}>
          <ErrorState error={error} isAction />
        </div>
      )}
      <Loaded answer={pages} call={call}>
        {() =>
          tags.length === 0 ? (
            <div className={styles.empty}>
              <EmptyState title={texts.none}>
                <p className="second">{texts.noneHint}</p>
                <CallCode
                  label={texts.add}
                  calls={[{ name: 'tags.create', input: { name: 'before-the-migration' } }]}
                />
              </EmptyState>
            </div>
          ) : (
            <Table
              label={texts.title}
              columns={columnsAt(now, (name) => remove.mutate({ name }))}
              rows={tags}
              keyOf={({ name }) => name}
              onOpen={(tag) => navigate(compareHref(tag))}
            />
          )
        }
      </Loaded>
      <ShowMore pages={pages} />
      {isCreating && <CreateTag onClose={() => setCreating(false)} />}
    </>
  );
}

const columnsAt = (now: number, remove: (name: string) => void): readonly Column<ListedTag>[] => [
  {
    id: 'name',
    head: texts.columns.name,
    width: 240,
    phone: 'name',
    cell: (tag) => (
      <a className="mono strong" href={compareHref(tag)} title={tag.name}>
        {tag.name}
      </a>
    ),
  },
  {
    id: 'of',
    head: texts.columns.of,
    width: 200,
    phone: 'hide',
    cell: ({ of_branch, seq }) => (
      <span className="mono second">
        {of_branch}@{seq}
      </span>
    ),
  },
  {
    id: 'description',
    head: texts.columns.description,
    phone: 'detail',
    cell: ({ description }) => (
      <span className="second" title={description}>
        {description}
      </span>
    ),
  },
  authorColumn(texts.columns.by, { width: 140, phone: 'hide' }),
  ageColumn(texts.columns.at, now),
  {
    id: 'do',
    head: texts.columns.do,
    width: 72,
    end: true,
    phone: 'value',
    cell: (tag) => <TagMenu tag={tag} remove={remove} />,
  },
];

function TagMenu({ tag, remove }: { tag: ListedTag; remove: (name: string) => void }) {
  const toRollback = hrefOf('branches', '', { view: 'rollback', by: 'tag', state: tag.name, branch: tag.of_branch });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keeps its clicks from the row.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above.
    <span onClick={(event) => event.stopPropagation()}>
      <Menu
        label={texts.actions(tag.name)}
        icon="dots"
        kind="quiet"
        items={[
          { id: 'compare', label: texts.compare, onSelect: () => navigate(compareHref(tag)) },
          { id: 'rollback', label: texts.rollback, onSelect: () => navigate(toRollback) },
          { id: 'delete', label: texts.remove, danger: true, onSelect: () => remove(tag.name) },
        ]}
      />
    </span>
  );
}

function CreateTag({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [ref, setRef] = useState('main');
  const [description, setDescription] = useState('');
  const create = useAction('tags.create', {
    changes: BRANCH_ANSWERS,
    onDone: (tag) => {
      onClose();
      showToast(texts.created(tag.name));
    },
  });
  return (
    <FormDialog
      title={texts.createTitle}
      submit={texts.submit}
      busy={create.isPending}
      error={create.error}
      disabled={name === ''}
      onSubmit={() => create.mutate({ name, ref, description })}
      onClose={onClose}
    >
      <Field label={texts.name} hint={texts.nameHint}>
        {(field) => (
          <input
            {...field}
            className={`${field.className} mono`}
            value={name}
            required
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <RefField label={texts.ref} value={ref} onChange={setRef} hint={texts.refHint} isRequired />
      <Field label={texts.description}>
        {(field) => <input {...field} value={description} onChange={(event) => setDescription(event.target.value)} />}
      </Field>
    </FormDialog>
  );
}

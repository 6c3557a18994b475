import { useState } from 'react';
import { usePages } from '../../data/query.ts';
import { textParameter, useSearch } from '../../router/router.tsx';
import { branches } from '../../texts/branches.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Section } from '../../ui/section.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { Loaded } from '../../ui/states.tsx';
import styles from './branches.module.css';
import { ChangedEntries } from './changed-entries.tsx';
import { PickableEntries } from './pick-entries.tsx';
import { RefField } from './ref-field.tsx';

const texts = branches.compare;
const parameters = { from: textParameter(), to: textParameter('main'), path: textParameter() };
const PAGE = 50;

/** What differs between any two states of memory. */
export function ComparePart() {
  const [asked, set] = useSearch(parameters);
  const [form, setForm] = useState(asked);
  const change = (part: Partial<typeof form>) => setForm({ ...form, ...part });
  const swapped = { ...form, from: form.to, to: form.from };
  return (
    <>
      <form
        className={styles.form}
        aria-label={texts.title}
        onSubmit={(event) => {
          event.preventDefault();
          set(form, { replace: false });
        }}
      >
        <RefField
          label={texts.from}
          value={form.from}
          onChange={(from) => change({ from })}
          placeholder={texts.refHint}
          isRequired
        />
        <RefField
          label={texts.to}
          value={form.to}
          onChange={(to) => change({ to })}
          placeholder={texts.refHint}
          isRequired
        />
        <Field label={texts.path}>
          {(field) => (
            <input
              {...field}
              className={`${field.className} mono`}
              value={form.path}
              placeholder={texts.pathHint}
              data-page-search
              spellCheck={false}
              onChange={(event) => change({ path: event.target.value })}
            />
          )}
        </Field>
        <div className={styles.formEnd}>
          <Button kind="ink" submit>
            {texts.submit}
          </Button>
          <Button
            onClick={() => {
              setForm(swapped);
              if (asked.from !== '') set(swapped);
            }}
          >
            {texts.swap}
          </Button>
        </div>
      </form>
      {asked.from === '' ? (
        <p className={`${styles.lead} third`}>{texts.choose}</p>
      ) : (
        <Differences {...asked} isPickable />
      )}
    </>
  );
}

type DifferencesProps = {
  from: string;
  to: string;
  path?: string /** Entries of `to` can be picked. */;
  isPickable?: boolean;
};

/** Names a branch, and not a state of one. */
const isBranch = (ref: string): boolean => !ref.includes('@') && !ref.startsWith('tags/');

/** The differences of two states, in pages. */
export function Differences({ from, to, path = '', isPickable = false }: DifferencesProps) {
  const input = { from, to, limit: PAGE, ...(path === '' ? {} : { entity_path: path }) };
  const call = { name: 'branches.compare', input } as const;
  const pages = usePages('branches.compare', input);
  const entries = pages.data?.pages.flatMap((page) => page.entries) ?? [];
  const hidden = pages.data?.pages.reduce((sum, page) => sum + page.hidden, 0) ?? 0;
  const note = pages.data && branches.changed.summary(entries.length, pages.hasNextPage);
  return (
    <Section bleed title={texts.result} note={note} actions={<CopyAs call={call} />} className={styles.last}>
      <Loaded answer={pages} call={call}>
        {() =>
          entries.length === 0 && hidden === 0 ? (
            <p className={`${styles.inset} third`}>{texts.same}</p>
          ) : isPickable ? (
            <PickableEntries
              key={`${from} ${to}`}
              {...{ entries, hidden }}
              from={to}
              onto={isBranch(from) ? from : 'main'}
            />
          ) : (
            <ChangedEntries entries={entries} hidden={hidden} />
          )
        }
      </Loaded>
      <ShowMore pages={pages} />
    </Section>
  );
}

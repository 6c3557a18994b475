import { useEffect, useState } from 'react';
import type { Output } from '../../data/client.ts';
import { useAction, useOperation } from '../../data/query.ts';
import { quarantine } from '../../texts/quarantine.ts';
import { Field, Segmented } from '../../ui/choices.tsx';
import { EntryName } from '../../ui/marks.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import { BRANCH_ANSWERS } from './branch-data.ts';
import styles from './branches.module.css';
import { FormDialog } from './form-dialog.tsx';

const texts = quarantine.create;
const KINDS = ['entry', 'agent', 'source'] as const;
type FirstKind = (typeof KINDS)[number];
const SHOWN = 8;

type FirstEntries = { path: string; key: string; agent: string; source: string };

/** What the search begins with, once it is named. */
function targetOf(kind: FirstKind, { path, key, agent, source }: FirstEntries) {
  if (kind === 'agent') return agent === '' ? undefined : { written_by: agent };
  if (kind === 'source') return source === '' ? undefined : { source };
  return path === '' || key === '' ? undefined : { entity_path: path, key };
}

const TYPING_MS = 400;

/** The text once the typing rests: the search looks at much of the account. */
function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}

/** Takes an entry, or what an agent or a connector wrote, out of reads, after a look at what rests on it. */
export function CreateQuarantine({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<FirstKind>('entry');
  const [first, setFirst] = useState<FirstEntries>({ path: '', key: '', agent: '', source: '' });
  const [follows, setFollows] = useState(true);
  const [reason, setReason] = useState('');
  const target = targetOf(kind, first);
  const input = { ...target, ...(follows ? {} : { depth: 0 }) };
  const asked = useRested(target === undefined ? '' : JSON.stringify(input));
  const isAsked = target !== undefined && asked === JSON.stringify(input);
  const found = useOperation('quarantine.trace', { ...input, limit: SHOWN }, { keepPrevious: false, enabled: isAsked });
  const undo = useAction('quarantine.undo', {
    changes: BRANCH_ANSWERS,
    onDone: ({ entries }) => showToast(quarantine.released(entries)),
  });
  const create = useAction('quarantine.create', {
    changes: BRANCH_ANSWERS,
    onDone: ({ quarantine_id, entries }) => {
      onClose();
      showToast(texts.done(entries), () => undo.mutate({ quarantine_id }));
    },
  });
  const field = (name: keyof FirstEntries, label: string) => (
    <Field label={label}>
      {(given) => (
        <input
          {...given}
          className={`${given.className} mono`}
          value={first[name]}
          required
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setFirst({ ...first, [name]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <FormDialog
      wide
      title={texts.title}
      submit={texts.submit}
      busy={create.isPending}
      disabled={!isAsked || !found.data || found.data.entries_found + found.data.hidden === 0}
      error={create.error}
      onSubmit={() => create.mutate({ ...input, reason })}
      onClose={onClose}
    >
      <Segmented
        label={texts.by}
        value={kind}
        choices={KINDS.map((value) => ({ value, label: texts.kinds[value] }))}
        onChange={setKind}
      />
      {kind === 'entry' && field('path', texts.path)}
      {kind === 'entry' && field('key', texts.key)}
      {kind === 'agent' && field('agent', texts.agent)}
      {kind === 'source' && field('source', texts.source)}
      <label className={styles.check}>
        <input type="checkbox" checked={follows} onChange={(event) => setFollows(event.target.checked)} />
        {texts.follow}
      </label>
      <Field label={texts.reason} hint={texts.reasonHint}>
        {(given) => <input {...given} value={reason} onChange={(event) => setReason(event.target.value)} />}
      </Field>
      {target !== undefined && (
        <section aria-label={texts.found} className="stack">
          <h3 className="second small">{texts.found}</h3>
          {found.error ? (
            <ErrorState error={found.error} />
          ) : found.data ? (
            <Found answer={found.data} />
          ) : (
            <Skeleton rows={1} />
          )}
        </section>
      )}
    </FormDialog>
  );
}

function Found({ answer }: { answer: Output<'quarantine.trace'> }) {
  const { entries, entries_found, decisions_found, hidden, complete } = answer;
  if (entries_found + hidden === 0) return <p>{texts.nothing}</p>;
  return (
    <>
      <p>{texts.counts(entries_found, decisions_found)}</p>
      <ul className={styles.conflicting}>
        {entries.map(({ branch, entity_path, key, depth }) => (
          <li key={`${branch} ${entity_path}/${key}`} className="line">
            <EntryName path={entity_path} name={key} />
            <span className="third small">
              {branch} {quarantine.steps(depth)}
            </span>
          </li>
        ))}
      </ul>
      {hidden > 0 && <p className="third">{texts.hidden(hidden)}</p>}
      {!complete && <p className="warn">{texts.incomplete}</p>}
    </>
  );
}

import { useState } from 'react';
import { client, type Output } from '../../data/client.ts';
import { problemOf } from '../../data/problem.ts';
import { useAction, useOperation } from '../../data/query.ts';
import { pick as texts } from '../../texts/quarantine.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/choices.tsx';
import { showToast } from '../../ui/toast.tsx';
import { BRANCH_ANSWERS } from './branch-data.ts';
import styles from './branches.module.css';
import { ChangedEntries, type ChangedEntry } from './changed-entries.tsx';
import { FormDialog } from './form-dialog.tsx';
import { DryRun } from './merge-dialog.tsx';
import { RefField } from './ref-field.tsx';

type EntryChoice = { entity_path: string; key: string };

const nameOf = ({ entity_path, key }: EntryChoice): string => JSON.stringify([entity_path, key]);

type PickableEntriesProps = {
  entries: readonly ChangedEntry[];
  hidden: number;
  /** The state that has them. */
  from: string;
  /** The branch that is proposed to take them. */
  onto: string;
};

/** Changed entries of which some can be chosen and written to another branch. */
export function PickableEntries({ entries, hidden, from, onto }: PickableEntriesProps) {
  const [names, setNames] = useState<ReadonlySet<string>>(new Set());
  const [isPicking, setPicking] = useState(false);
  const chosen = entries.filter((entry) => names.has(nameOf(entry)));
  const choose = (entry: ChangedEntry, isChosen: boolean) => {
    const next = new Set(names);
    if (isChosen) next.add(nameOf(entry));
    else next.delete(nameOf(entry));
    setNames(next);
  };
  return (
    <>
      {chosen.length > 0 && (
        <div className={styles.bar}>
          <span role="status">{texts.chosen(chosen.length)}</span>
          <Button kind="ink" onClick={() => setPicking(true)}>
            {texts.action}
          </Button>
          <Button kind="quiet" onClick={() => setNames(new Set())}>
            {texts.clear}
          </Button>
        </div>
      )}
      <ChangedEntries
        entries={entries}
        hidden={hidden}
        choice={{ isChosen: (entry) => names.has(nameOf(entry)), onChoose: choose }}
      />
      {isPicking && (
        <PickDialog
          from={from}
          onto={onto}
          entries={chosen.map(({ entity_path, key }) => ({ entity_path, key }))}
          onDone={() => setNames(new Set())}
          onClose={() => setPicking(false)}
        />
      )}
    </>
  );
}

type PickDialogProps = {
  from: string;
  onto: string;
  entries: readonly EntryChoice[];
  onDone: () => void;
  onClose: () => void;
};

function PickDialog({ from, onto, entries, onDone, onClose }: PickDialogProps) {
  const [branch, setBranch] = useState(onto);
  const [message, setMessage] = useState('');
  const input = { from, branch, entries: [...entries] };
  const trial = useOperation(
    'entries.cherry_pick',
    { ...input, dry_run: true },
    { keepPrevious: false, enabled: branch !== '' },
  );
  const undo = useUndo();
  const run = useAction('entries.cherry_pick', {
    changes: BRANCH_ANSWERS,
    onDone: (answer) => {
      onDone();
      onClose();
      showToast(texts.done(entries.length, answer.target), () => undo(answer, entries));
    },
  });
  return (
    <FormDialog
      wide
      title={texts.title(entries.length, from)}
      submit={texts.submit}
      busy={run.isPending}
      disabled={trial.data === undefined || trial.data.status === 'up_to_date'}
      error={run.error}
      onSubmit={() => run.mutate({ ...input, message })}
      onClose={onClose}
    >
      <p className="second">{texts.hint}</p>
      <RefField label={texts.target} value={branch} onChange={setBranch} isBranch isRequired />
      <Field label={texts.message}>
        {(field) => <input {...field} value={message} onChange={(event) => setMessage(event.target.value)} />}
      </Field>
      <DryRun trial={trial} />
    </FormDialog>
  );
}

/** Takes back what a pick wrote: entries that it added are deleted, the others are picked from the state before it. */
function useUndo(): (made: Output<'entries.cherry_pick'>, entries: readonly EntryChoice[]) => void {
  const remove = useAction('entries.delete', { changes: BRANCH_ANSWERS });
  const restore = useAction('entries.cherry_pick', { changes: BRANCH_ANSWERS });
  const takeBack = async (
    { target: branch, target_seq, head }: Output<'entries.cherry_pick'>,
    entries: readonly EntryChoice[],
  ) => {
    const from = `${branch}@${target_seq}`;
    const wrote = await client().call('branches.compare', { from, to: `${branch}@${head ?? target_seq}`, limit: 1000 });
    const isAdded = new Set(wrote.entries.filter((entry) => entry.from === null).map(nameOf));
    const before = entries.filter((entry) => !isAdded.has(nameOf(entry)));
    for (const entry of entries) if (isAdded.has(nameOf(entry))) await remove.mutateAsync({ ...entry, branch });
    if (before.length > 0) await restore.mutateAsync({ from, branch, entries: [...before] });
    showToast(texts.undone(branch));
  };
  return (made, entries) => void takeBack(made, entries).catch((error) => showToast(problemOf(error).detail));
}

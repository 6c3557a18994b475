import { useState } from 'react';
import { isMemError, type Output } from '../../data/client.ts';
import { useAction, useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { branches } from '../../texts/branches.ts';
import { Field } from '../../ui/choices.tsx';
import { EntryName } from '../../ui/marks.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import { BRANCH_ANSWERS, type BranchWithCounts } from './branch-data.ts';
import styles from './branches.module.css';
import { FormDialog } from './form-dialog.tsx';
import { RefField } from './ref-field.tsx';

const texts = branches.merge;

export type MergeStrategyName = keyof typeof texts.strategies;
export const STRATEGIES = Object.keys(texts.strategies) as MergeStrategyName[];

type StrategyFieldProps = { value: MergeStrategyName; onChange: (value: MergeStrategyName) => void };

export function StrategyField({ value, onChange }: StrategyFieldProps) {
  return (
    <Field label={texts.strategy} hint={texts.strategies[value]}>
      {(field) => (
        <select {...field} value={value} onChange={(event) => onChange(event.target.value as MergeStrategyName)}>
          {STRATEGIES.map((strategy) => (
            <option key={strategy} value={strategy}>
              {texts.strategyNames[strategy]}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export const conflictsHref = (mergeId: string): string => hrefOf('branches', '', { view: 'merges', merge: mergeId });

type Trial = { data: Output<'branches.merge'> | undefined; error: unknown };

/** What a merge would do, as the service says. */
export function DryRun({ trial: { data, error } }: { trial: Trial }) {
  return (
    <section aria-label={texts.dryRun} className="stack">
      <h3 className="second small">{texts.dryRun}</h3>
      {error ? <ErrorState error={error} isAction /> : data ? <DryRunAnswer answer={data} /> : <Skeleton rows={1} />}
    </section>
  );
}

function DryRunAnswer({ answer }: { answer: Output<'branches.merge'> }) {
  if (answer.status === 'up_to_date') return <p>{texts.upToDate}</p>;
  return (
    <>
      <p>{texts.counts(answer)}</p>
      {answer.conflicts > 0 && (
        <>
          <p className="warn">
            {texts.conflicts(answer.conflicts)}. {texts.conflictsHint}
          </p>
          <ul className={styles.conflicting}>
            {answer.conflicting.map(({ entity_path, key, reason }) => (
              <li key={`${entity_path}/${key}`} className="line">
                <EntryName path={entity_path} name={key} />
                <span className="third small">
                  {branches.conflicts.reasons[reason as keyof typeof branches.conflicts.reasons] ?? reason}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** Merges a branch into another, after a look at what that would do. */
export function MergeBranch({ branch, onClose }: { branch: BranchWithCounts; onClose: () => void }) {
  const { name } = branch;
  const [target, setTarget] = useState(branch.parent_branch ?? 'main');
  const [strategy, setStrategy] = useState<MergeStrategyName>('THREE_WAY');
  const [keepOpen, setKeepOpen] = useState(false);
  const [message, setMessage] = useState('');
  const how = { name, target, strategy, keep_open: keepOpen };
  const trial = useOperation(
    'branches.merge',
    { ...how, dry_run: true },
    { keepPrevious: false, enabled: target !== '' },
  );
  const merge = useAction('branches.merge', {
    changes: BRANCH_ANSWERS,
    onDone: () => {
      onClose();
      showToast(texts.done(name, target));
    },
  });
  const error = useConflictsOf(merge.error, onClose);
  return (
    <FormDialog
      wide
      title={texts.mergeTitle(name, target)}
      submit={trial.data?.conflicts ? texts.toConflicts : texts.submit}
      busy={merge.isPending}
      working={trial.data && texts.merging(texts.counts(trial.data))}
      disabled={trial.data === undefined || trial.data.status === 'up_to_date'}
      error={error}
      onSubmit={() => merge.mutate({ ...how, message })}
      onClose={onClose}
    >
      <RefField label={texts.target} value={target} onChange={setTarget} isBranch isRequired />
      <StrategyField value={strategy} onChange={setStrategy} />
      <Field label={texts.message}>
        {(field) => <input {...field} value={message} onChange={(event) => setMessage(event.target.value)} />}
      </Field>
      <label className={styles.check}>
        <input type="checkbox" checked={keepOpen} onChange={(event) => setKeepOpen(event.target.checked)} />
        {texts.keepOpen}
      </label>
      <DryRun trial={trial} />
    </FormDialog>
  );
}

/** Brings a branch up to date with its parent, likewise. */
export function RefreshBranch({ branch, onClose }: { branch: BranchWithCounts; onClose: () => void }) {
  const { name } = branch;
  const [strategy, setStrategy] = useState<MergeStrategyName>('THREE_WAY');
  const trial = useOperation('branches.refresh', { name, strategy, dry_run: true }, { keepPrevious: false });
  const refresh = useAction('branches.refresh', {
    changes: BRANCH_ANSWERS,
    onDone: () => {
      onClose();
      showToast(texts.refreshed(name));
    },
  });
  const error = useConflictsOf(refresh.error, onClose);
  return (
    <FormDialog
      wide
      title={texts.refreshTitle(name, branch.parent_branch ?? '')}
      submit={trial.data?.conflicts ? texts.toConflicts : texts.submitRefresh}
      busy={refresh.isPending}
      working={trial.data && texts.refreshing(texts.counts(trial.data))}
      disabled={trial.data === undefined || trial.data.status === 'up_to_date'}
      error={error}
      onSubmit={() => refresh.mutate({ name, strategy })}
      onClose={onClose}
    >
      <StrategyField value={strategy} onChange={setStrategy} />
      <DryRun trial={trial} />
    </FormDialog>
  );
}

/** A merge that was refused for its conflicts leads to them; another error stays. */
function useConflictsOf(error: unknown, onClose: () => void): unknown {
  const id = isMemError(error, 'merge_conflicts') ? error.problem.merge_id : undefined;
  const [seen, setSeen] = useState<unknown>();
  if (typeof id !== 'string') return error;
  if (seen !== error) {
    setSeen(error);
    queueMicrotask(() => {
      onClose();
      navigate(conflictsHref(id));
    });
  }
  return null;
}

import { useState } from 'react';
import { useAction, useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { useCommands } from '../../shell/commands.ts';
import { branches } from '../../texts/branches.ts';
import { pulls } from '../../texts/pulls.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/choices.tsx';
import { Section } from '../../ui/section.tsx';
import { showToast } from '../../ui/toast.tsx';
import branchStyles from '../branches/branches.module.css';
import { FormDialog } from '../branches/form-dialog.tsx';
import { DryRun, type MergeStrategyName, StrategyField } from '../branches/merge-dialog.tsx';
import { CheckSign } from './checks-part.tsx';
import { PULL_ANSWERS, type WholePull } from './pull-data.ts';
import styles from './pulls.module.css';
import type { Reviewed } from './review-dialog.tsx';

const texts = pulls.mergeBox;

type MergeBoxProps = {
  pull: WholePull;
  onReview: (reviewed: Reviewed) => void;
  onAgain: () => void;
  isAgain: boolean;
};

/** Whether it can be merged, what is missing, and the three ways to review it. */
export function MergeBox({ pull, onReview, onAgain, isAgain }: MergeBoxProps) {
  const [isMerging, setMerging] = useState(false);
  const isOpen = pull.status === 'open';
  useCommands(
    isOpen && pull.is_mergeable
      ? [{ id: 'merge', label: texts.title2, keys: 'm', group: 'page', run: () => setMerging(true) }]
      : [],
  );
  return (
    <>
      {isOpen && (
        <Section title={pulls.reviews.title} note={<Approvals pull={pull} />}>
          <Reviewers pull={pull} />
          <div className={styles.buttons}>
            <Button onClick={() => onReview({ decision: 'approved' })}>{pulls.reviews.approve}</Button>
            <Button onClick={() => onReview({ decision: 'changes_requested' })}>{pulls.reviews.request}</Button>
            <Button onClick={() => onReview({ decision: 'commented' })}>{pulls.reviews.comment}</Button>
          </div>
        </Section>
      )}
      <Section
        title={pulls.checks.title}
        className="wide-only"
        actions={
          isOpen && (
            <Button kind="quiet" busy={isAgain} onClick={onAgain}>
              {texts.again}
            </Button>
          )
        }
      >
        <ul className={styles.checkLines}>
          {pull.checks.map(({ name, status, summary, is_required }) => (
            <li key={name} className={styles.checkLine}>
              <CheckSign status={status} />
              <a className="mono" href={hrefOf('pulls', pull.id, { part: 'checks' })} title={summary}>
                {name}
              </a>
              {is_required && <span className="third small">{pulls.checks.required}</span>}
              <span className="grow" />
              <span className="third small">{pulls.checks.statuses[status]}</span>
            </li>
          ))}
          {pull.checks.length === 0 && <li className="third">{pulls.checks.none}</li>}
        </ul>
      </Section>
      <Section title={texts.title} className={branchStyles.last}>
        {isOpen ? <Standing pull={pull} onMerge={() => setMerging(true)} /> : <Over pull={pull} />}
      </Section>
      {isMerging && <MergePull pull={pull} onClose={() => setMerging(false)} />}
    </>
  );
}

const Approvals = ({ pull: { approvals, required_approvals } }: { pull: WholePull }) =>
  required_approvals > 0 ? texts.approvalsOf(approvals, required_approvals) : texts.approvalsFree(approvals);

/** Each reviewer once, with what counts of them: the newest that is no comment. */
function Reviewers({ pull: { reviews } }: { pull: WholePull }) {
  const whole = reviews.filter(({ decision }) => decision !== 'commented');
  const newest = whole.filter(({ reviewer }, i) => whole.findIndex((other) => other.reviewer === reviewer) === i);
  if (newest.length === 0) return null;
  return (
    <ul className={styles.checkLines}>
      {newest.map(({ reviewer, decision, is_dismissed }) => (
        <li key={reviewer} className={styles.checkLine}>
          <CheckSign status={is_dismissed ? 'neutral' : decision === 'approved' ? 'passed' : 'failed'} />
          <a className="cut" href={hrefOf('agents', reviewer)}>
            {reviewer}
          </a>
          <span className="grow" />
          <span className="third small">
            {is_dismissed ? pulls.reviews.dismissed : pulls.reviews.decisions[decision]}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Standing({ pull, onMerge }: { pull: WholePull; onMerge: () => void }) {
  const { is_mergeable, blocked_by, conflicts, id } = pull;
  return (
    <div className="stack">
      {is_mergeable ? (
        <p className="second">{texts.ready}</p>
      ) : (
        <>
          <p>{texts.blocked}</p>
          <ul className={styles.blockers}>
            {blocked_by.map(({ reason, message, check }) => (
              <li key={`${reason} ${check ?? ''} ${message}`}>{message}</li>
            ))}
          </ul>
        </>
      )}
      <div className={styles.buttons}>
        <Button kind="ink" disabled={!is_mergeable} onClick={onMerge}>
          {texts.merge}
        </Button>
        {conflicts !== null && conflicts > 0 && (
          <a className="link" href={hrefOf('pulls', id, { part: 'conflicts' })}>
            {branches.merge.toConflicts}
          </a>
        )}
      </div>
    </div>
  );
}

function Over({ pull: { status, merge_strategy, merge_id } }: { pull: WholePull }) {
  const merge = useOperation('merges.read', { merge_id: merge_id ?? '' }, { enabled: merge_id !== null });
  if (status === 'closed') return <p className="second">{texts.closed}</p>;
  return (
    <p className="second">
      {texts.merged(branches.merge.strategyNames[merge_strategy as MergeStrategyName])}{' '}
      {merge.data && texts.wrote(merge.data.added, merge.data.modified, merge.data.deleted)}
    </p>
  );
}

function MergePull({ pull, onClose }: { pull: WholePull; onClose: () => void }) {
  const { id, title } = pull;
  const [strategy, setStrategy] = useState<MergeStrategyName>('THREE_WAY');
  const [keepOpen, setKeepOpen] = useState(false);
  const [message, setMessage] = useState('');
  const how = { id, strategy, keep_open: keepOpen };
  const trial = useOperation('pull_requests.merge', { ...how, dry_run: true }, { keepPrevious: false });
  const merge = useAction('pull_requests.merge', {
    changes: PULL_ANSWERS,
    onDone: () => {
      onClose();
      showToast(texts.done(title));
    },
  });
  return (
    <FormDialog
      wide
      title={texts.title2}
      submit={texts.merge}
      busy={merge.isPending}
      working={trial.data && branches.merge.merging(branches.merge.counts(trial.data))}
      disabled={trial.data === undefined || trial.data.status === 'up_to_date'}
      error={merge.error}
      onSubmit={() => merge.mutate({ ...how, message })}
      onClose={onClose}
    >
      <StrategyField value={strategy} onChange={setStrategy} />
      <Field label={branches.merge.message}>
        {(field) => <input {...field} value={message} onChange={(event) => setMessage(event.target.value)} />}
      </Field>
      <label className={branchStyles.check}>
        <input type="checkbox" checked={keepOpen} onChange={(event) => setKeepOpen(event.target.checked)} />
        {branches.merge.keepOpen}
      </label>
      <DryRun trial={trial} />
    </FormDialog>
  );
}

import { useState } from 'react';
import { useAction, useOperation, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { choiceParameter, useSearch } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { ago, fullTimeOf } from '../../texts/format.ts';
import { pulls as texts } from '../../texts/pulls.ts';
import { ui } from '../../texts/ui.ts';
import { Button } from '../../ui/button.tsx';
import { type Tab, TabPanel, Tabs } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Tag } from '../../ui/marks.tsx';
import { Menu } from '../../ui/menu.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { ErrorState, Loaded, Progress, usePatience } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import branchStyles from '../branches/branches.module.css';
import { ChangedEntries, type ChangedEntry } from '../branches/changed-entries.tsx';
import { Differences } from '../branches/compare-part.tsx';
import { ConflictReview } from '../branches/conflict-review.tsx';
import { ChecksPart } from './checks-part.tsx';
import { MergeBox } from './merge-box.tsx';
import { EditPull } from './open-pull.tsx';
import { PULL_ANSWERS, type PullReview, STATE_TONES, type WholePull } from './pull-data.ts';
import styles from './pulls.module.css';
import { ReviewDialog, type Reviewed } from './review-dialog.tsx';
import { ReviewLine, ReviewsPart } from './reviews-part.tsx';

const PARTS = ['changes', 'conflicts', 'checks', 'reviews'] as const;
type PullPart = (typeof PARTS)[number];
const parameters = { part: choiceParameter<PullPart>('changes', PARTS) };
const PAGE = 50;

/** One pull request, as it is reviewed. */
export function PullPage({ id }: { id: string }) {
  const read = useOperation('pull_requests.read', { id });
  useCrumbs([{ label: texts.title, href: hrefOf('pulls') }, { label: read.data?.title ?? id }]);
  return (
    <div className={branchStyles.message}>
      <Loaded answer={read} call={{ name: 'pull_requests.read', input: { id } }}>
        {(pull) => <Pull pull={pull} onAgain={() => void read.refetch()} isAgain={read.isFetching} />}
      </Loaded>
      {read.isPending && <Waiting />}
    </div>
  );
}

/** Its checks are run when it is read, which may take a second or two. */
function Waiting() {
  return usePatience() ? <Progress label={texts.checks.running} /> : null;
}

type PullProps = { pull: WholePull; onAgain: () => void; isAgain: boolean };

function Pull({ pull, onAgain, isAgain }: PullProps) {
  const [{ part: asked }, set] = useSearch(parameters);
  const [reviewed, setReviewed] = useState<Reviewed>();
  const isOpen = pull.status === 'open';
  const part = !isOpen && asked === 'conflicts' ? 'changes' : asked;
  useCommands(
    isOpen
      ? [
          {
            id: 'approve',
            label: texts.reviews.approve,
            keys: 'a',
            group: 'page',
            run: () => setReviewed({ decision: 'approved' }),
          },
          {
            id: 'comment',
            label: texts.reviews.comment,
            keys: 'r',
            group: 'page',
            run: () => setReviewed({ decision: 'commented' }),
          },
        ]
      : [],
  );
  const { changes } = pull;
  const tabs: Tab<PullPart>[] = [
    {
      value: 'changes',
      label: texts.part.changes,
      count: changes ? changes.added + changes.modified + changes.deleted : undefined,
    },
    ...(isOpen
      ? [{ value: 'conflicts' as const, label: texts.part.conflicts, count: pull.conflicts ?? undefined }]
      : []),
    { value: 'checks', label: texts.part.checks, count: pull.checks.length },
    { value: 'reviews', label: texts.part.reviews, count: pull.reviews.length },
  ];
  return (
    <>
      <Head pull={pull} />
      <div className={styles.split}>
        <div className={styles.parts}>
          <div className={branchStyles.tabs}>
            <Tabs label={texts.parts} value={part} tabs={tabs} onChange={(next) => set({ part: next })} />
          </div>
          <TabPanel value={part}>
            {part === 'changes' && <ChangesPart pull={pull} onReview={setReviewed} />}
            {part === 'conflicts' && <ConflictsPart pull={pull} />}
            {part === 'checks' && <ChecksPart checks={pull.checks} />}
            {part === 'reviews' && <ReviewsPart pull={pull} onReview={setReviewed} />}
          </TabPanel>
        </div>
        <div className={styles.aside}>
          <MergeBox pull={pull} onReview={setReviewed} onAgain={onAgain} isAgain={isAgain} />
        </div>
      </div>
      {reviewed && <ReviewDialog pull={pull} reviewed={reviewed} onClose={() => setReviewed(undefined)} />}
    </>
  );
}

function Head({ pull }: { pull: WholePull }) {
  const now = useNow();
  const { id, title, description, status, created_by, created_at, source_branch, target_branch } = pull;
  const [isEditing, setEditing] = useState(false);
  const actions = usePullActions(pull);
  return (
    <header className={branchStyles.head}>
      <div className={branchStyles.headLine}>
        <h1>{title}</h1>
        <Tag tone={STATE_TONES[status]}>{texts.stateOf[status]}</Tag>
        <span className="grow" />
        <CopyAs call={{ name: 'pull_requests.read', input: { id } }} />
        {status === 'open' && <Button onClick={() => setEditing(true)}>{texts.edit.action}</Button>}
        {actions.items.length > 0 && <Menu label={ui.more} icon="dots" items={actions.items} />}
      </div>
      <p className="second">
        <a href={hrefOf('agents', created_by)}>{created_by}</a> {texts.wants}{' '}
        <a className="mono" href={hrefOf('branches', source_branch)}>
          {source_branch}
        </a>{' '}
        {texts.into}{' '}
        <a className="mono" href={hrefOf('branches', target_branch)}>
          {target_branch}
        </a>{' '}
        <time className="third" dateTime={created_at} title={fullTimeOf(created_at)}>
          {texts.opened(ago(created_at, now))}
        </time>
        <Ended pull={pull} now={now} />
      </p>
      {description !== '' && <p className={`${styles.description} prose`}>{description}</p>}
      {actions.error !== null && <ErrorState error={actions.error} isAction />}
      {isEditing && <EditPull pull={pull} onClose={() => setEditing(false)} />}
    </header>
  );
}

function Ended({
  pull: { merged_at, merged_by, closed_at, closed_by, status },
  now,
}: {
  pull: WholePull;
  now: number;
}) {
  if (status === 'merged' && merged_at !== null)
    return <span className="third">, {texts.mergedBy(merged_by ?? '', ago(merged_at, now))}</span>;
  if (status === 'closed' && closed_at !== null)
    return <span className="third">, {texts.closedBy(closed_by ?? '', ago(closed_at, now))}</span>;
  return null;
}

function usePullActions({ id, title, status }: WholePull) {
  const reopen = useAction('pull_requests.reopen', {
    changes: PULL_ANSWERS,
    onDone: () => showToast(texts.reopen.done(title)),
  });
  const close = useAction('pull_requests.close', {
    changes: PULL_ANSWERS,
    onDone: () => showToast(texts.close.done(title), () => reopen.mutate({ id })),
  });
  const items = [
    ...(status === 'open'
      ? [{ id: 'close', label: texts.close.action, danger: true, onSelect: () => close.mutate({ id }) }]
      : []),
    ...(status === 'closed'
      ? [{ id: 'reopen', label: texts.reopen.action, onSelect: () => reopen.mutate({ id }) }]
      : []),
  ];
  return { items, error: close.error ?? reopen.error };
}

type ChangesPartProps = { pull: WholePull; onReview: (reviewed: Reviewed) => void };

/** What the branch changed; of a merged one, what the merge wrote. */
function ChangesPart({ pull, onReview }: ChangesPartProps) {
  if (pull.status === 'merged' && pull.merge_id !== null) return <MergedChanges mergeId={pull.merge_id} />;
  return <OpenChanges pull={pull} onReview={onReview} />;
}

function MergedChanges({ mergeId }: { mergeId: string }) {
  const merge = useOperation('merges.read', { merge_id: mergeId });
  return (
    <Loaded answer={merge} call={{ name: 'merges.read', input: { merge_id: mergeId } }}>
      {({ target, target_seq, head }) => (
        <Differences from={`${target}@${target_seq}`} to={`${target}@${head ?? target_seq}`} />
      )}
    </Loaded>
  );
}

function OpenChanges({ pull, onReview }: ChangesPartProps) {
  const { source_branch: name, target_branch: against, changes, reviews } = pull;
  const input = { name, against, limit: PAGE };
  const pages = usePages('branches.diff', input);
  const entries = pages.data?.pages.flatMap((page) => page.entries) ?? [];
  const hidden = pages.data?.pages.reduce((sum, page) => sum + page.hidden, 0) ?? 0;
  const summary = changes ? texts.counts(changes) : pull.status === 'open' ? texts.tooMany : '';
  return (
    <div className={styles.changes}>
      {summary !== '' && (
        <p className={`${styles.lead} third small`}>
          {summary}
          {changes && changes.hidden > 0 && `, ${texts.hidden(changes.hidden)}`}
        </p>
      )}
      <Loaded answer={pages} call={{ name: 'branches.diff', input }}>
        {() =>
          entries.length === 0 && hidden === 0 ? (
            <p className={`${styles.lead} second`}>{texts.noChanges}</p>
          ) : (
            <ChangedEntries
              entries={entries}
              hidden={hidden}
              below={(entry) => (
                <EntryReviews entry={entry} reviews={reviews} isOpen={pull.status === 'open'} onReview={onReview} />
              )}
            />
          )
        }
      </Loaded>
      <ShowMore pages={pages} />
    </div>
  );
}

type EntryReviewsProps = {
  entry: ChangedEntry;
  reviews: readonly PullReview[];
  isOpen: boolean;
  onReview: (reviewed: Reviewed) => void;
};

function EntryReviews({ entry: { entity_path, key }, reviews, isOpen, onReview }: EntryReviewsProps) {
  const own = reviews.filter((review) => review.entity_path === entity_path && review.key === key);
  return (
    <div className={styles.entryReviews}>
      {[...own].reverse().map((review) => (
        <ReviewLine key={review.no} review={review} isOfEntry />
      ))}
      {isOpen && (
        <Button kind="quiet" onClick={() => onReview({ decision: 'commented', entity_path, key })}>
          {texts.reviews.ofEntry}
        </Button>
      )}
    </div>
  );
}

function ConflictsPart({ pull }: { pull: WholePull }) {
  const { id, source_branch, target_branch, conflicts } = pull;
  const kept = useOperation('merges.list', { target: target_branch, status: 'conflicts', limit: 100 });
  const isKept = kept.data?.merges.some(({ merge_id }) => merge_id === id);
  if (conflicts === 0 && isKept !== true) return <p className={`${styles.lead} third`}>{texts.noConflicts}</p>;
  return <ConflictReview mergeId={id} source={source_branch} target={target_branch} />;
}

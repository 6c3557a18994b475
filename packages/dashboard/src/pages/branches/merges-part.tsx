import type { Output } from '../../data/client.ts';
import { useAction, useOperation, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { choiceParameter, navigate, textParameter, useSearch } from '../../router/router.tsx';
import { branches } from '../../texts/branches.ts';
import { Button } from '../../ui/button.tsx';
import { Segmented } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Tag } from '../../ui/marks.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { ErrorState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { showToast } from '../../ui/toast.tsx';
import { BRANCH_ANSWERS } from './branch-data.ts';
import styles from './branches.module.css';
import { ageColumn, authorColumn } from './columns.tsx';
import { Differences } from './compare-part.tsx';
import { ConflictReview } from './conflict-review.tsx';
import { conflictsHref } from './merge-dialog.tsx';

const texts = branches.merges;
const STATUSES = ['all', 'conflicts', 'merged'] as const;
type MergesStatus = (typeof STATUSES)[number];
const parameters = { status: choiceParameter<MergesStatus>('all', STATUSES), merge: textParameter() };
const PAGE = 30;

export type ListedMerge = Output<'merges.list'>['merges'][number];

/** Merges that were made, or wait for their conflicts to be resolved. */
export function MergesPart() {
  const [{ status, merge }, set] = useSearch(parameters);
  if (merge !== '') return <OneMerge key={merge} id={merge} />;
  const input = { limit: PAGE, ...(status === 'all' ? {} : { status }) };
  return (
    <>
      <div className={styles.bar}>
        <Segmented
          label={branches.status}
          value={status}
          choices={STATUSES.map((value) => ({ value, label: texts.status[value] }))}
          onChange={(next) => set({ status: next })}
        />
        <span className="grow" />
        <CopyAs call={{ name: 'merges.list', input }} />
      </div>
      <MergeLines status={status} empty={status === 'conflicts' ? texts.noneOf : texts.none} />
    </>
  );
}

type MergeLinesProps = { status?: MergesStatus; target?: string; empty: string };

export function MergeLines({ status = 'all', target, empty }: MergeLinesProps) {
  const now = useNow();
  const input = { limit: PAGE, ...(status === 'all' ? {} : { status }), ...(target === undefined ? {} : { target }) };
  const pages = usePages('merges.list', input);
  const merges = pages.data?.pages.flatMap((page) => page.merges) ?? [];
  return (
    <>
      <Loaded answer={pages} call={{ name: 'merges.list', input }}>
        {() =>
          merges.length === 0 ? (
            <p className={`${styles.inset} third`}>{empty}</p>
          ) : (
            <Table
              label={texts.title}
              columns={columnsAt(now)}
              rows={merges}
              keyOf={({ merge_id }) => merge_id}
              onOpen={({ merge_id }) => navigate(conflictsHref(merge_id))}
            />
          )
        }
      </Loaded>
      <ShowMore pages={pages} />
    </>
  );
}

const columnsAt = (now: number): readonly Column<ListedMerge>[] => [
  {
    id: 'what',
    head: texts.columns.what,
    phone: 'name',
    cell: ({ source, target, merge_id, message, kind }) => (
      <>
        <a className="mono strong" href={conflictsHref(merge_id)}>
          {texts.into(source, target)}
        </a>{' '}
        <span className="third small">{message || texts.kinds[kind]}</span>
      </>
    ),
  },
  {
    id: 'state',
    head: texts.columns.state,
    width: 140,
    phone: 'value',
    cell: ({ status, conflicts }) =>
      status === 'merged' ? <Tag>{texts.merged}</Tag> : <Tag tone="warn">{texts.waits(conflicts)}</Tag>,
  },
  {
    id: 'counts',
    head: texts.columns.counts,
    width: 110,
    phone: 'hide',
    cell: ({ added, modified, deleted }) => (
      <span className="mono second" title={texts.countsLong(added, modified, deleted)}>
        {texts.counts(added, modified, deleted)}
      </span>
    ),
  },
  authorColumn(texts.columns.by, { width: 130, phone: 'detail' }),
  ageColumn(texts.columns.at, now),
];

/** One merge: its conflicts while it waits, what it wrote once it is made. */
function OneMerge({ id }: { id: string }) {
  const read = useOperation('merges.read', { merge_id: id });
  return (
    <Loaded answer={read} call={{ name: 'merges.read', input: { merge_id: id } }}>
      {(merge) => (
        <>
          <div className={styles.bar}>
            <h2 className="mono strong">{texts.into(merge.source, merge.target)}</h2>
            {merge.status === 'merged' ? (
              <Tag>{texts.merged}</Tag>
            ) : (
              <Tag tone="warn">{texts.waits(merge.conflicts)}</Tag>
            )}
            <span className="third small">{merge.message}</span>
            <span className="grow" />
            {merge.status === 'conflicts' && <MergeAgain merge={merge} />}
          </div>
          {merge.status === 'merged' ? (
            <Differences
              from={`${merge.target}@${merge.target_seq}`}
              to={`${merge.target}@${merge.head ?? merge.target_seq}`}
            />
          ) : (
            <div className={styles.ruled}>
              <ConflictReview mergeId={id} source={merge.source} target={merge.target} />
            </div>
          )}
        </>
      )}
    </Loaded>
  );
}

/** Tries the merge again under its id, with what was resolved. */
function MergeAgain({ merge }: { merge: ListedMerge }) {
  const { source, target, strategy, detection, message, merge_id, kind } = merge;
  const done = () => showToast(branches.merge.done(source, target));
  const how = { merge_id, strategy, detection, message };
  const merged = useAction('branches.merge', { changes: BRANCH_ANSWERS, onDone: done });
  const refreshed = useAction('branches.refresh', { changes: BRANCH_ANSWERS, onDone: done });
  const run = () =>
    kind === 'refresh' ? refreshed.mutate({ name: target, ...how }) : merged.mutate({ name: source, target, ...how });
  const error = merged.error ?? refreshed.error;
  return (
    <>
      {error && <ErrorState error={error} isAction />}
      {kind !== 'cherry_pick' && (
        <Button kind="ink" busy={merged.isPending || refreshed.isPending} onClick={run}>
          {texts.again}
        </Button>
      )}
    </>
  );
}

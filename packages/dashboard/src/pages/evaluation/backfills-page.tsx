import { useState } from 'react';
import { useAction, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { useBranchRefresh } from '../../data/use-refresh.ts';
import { useRefreshWhile } from '../../data/use-refresh-while.ts';
import { hrefOf } from '../../router/address.ts';
import { useCommands } from '../../shell/commands.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { evaluation } from '../../texts/evaluation.ts';
import { number, percent } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { CallCode } from '../../ui/call-code.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, ErrorState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { showToast } from '../../ui/toast.tsx';
import branchStyles from '../branches/branches.module.css';
import { ageColumn } from '../branches/columns.tsx';
import { StartBackfill } from './backfill-form.tsx';
import styles from './evaluation.module.css';
import { BACKFILL_ANSWERS, BACKFILL_EVENTS, type ListedBackfill } from './evaluation-data.ts';
import { BehaviorLink, JudgeLink } from './evaluation-marks.tsx';

const texts = evaluation.backfills;
const input = { limit: 50 };
const call = { name: 'backfills.list', input } as const;
const WHILE_RUNNING_MS = 1000;

/** Judges at work on the past, and how far they are. */
export function BackfillsPage() {
  useCrumbs([{ label: texts.title }]);
  useBranchRefresh(BACKFILL_EVENTS, BACKFILL_ANSWERS);
  const now = useNow();
  const [isStarting, setStarting] = useState(false);
  const pages = usePages('backfills.list', input);
  const backfills = pages.data?.pages.flatMap((page) => page.backfills) ?? [];
  const isRunning = backfills.some(({ status }) => status === 'running');
  useRefreshWhile(isRunning, 'backfills.list', WHILE_RUNNING_MS);
  const cancel = useAction('backfills.cancel', {
    changes: BACKFILL_ANSWERS,
    onDone: () => showToast(texts.cancelled),
  });
  useCommands([{ id: 'new-backfill', label: texts.add, keys: 'n', group: 'page', run: () => setStarting(true) }]);
  return (
    <>
      <div className={branchStyles.title}>
        <h1>{texts.title}</h1>
      </div>
      <div className={branchStyles.bar}>
        <span className="third wide-only">{texts.note}</span>
        <span className="grow" />
        <CopyAs call={call} />
        <Button kind="ink" onClick={() => setStarting(true)}>
          {texts.add}
        </Button>
      </div>
      {cancel.error ? (
        <div className={branchStyles.inset}>
          <ErrorState error={cancel.error} isAction />
        </div>
      ) : null}
      <Loaded answer={pages} call={call} rows={6}>
        {() =>
          backfills.length === 0 ? (
            <div className={branchStyles.empty}>
              <EmptyState title={texts.none}>
                <p className="second">{texts.noneHint}</p>
                <CallCode label={texts.add} calls={[{ name: 'backfills.create', input: {} }]} />
              </EmptyState>
            </div>
          ) : (
            <Table
              label={texts.title}
              columns={columnsAt(now, (backfill_id) => cancel.mutate({ backfill_id }))}
              rows={backfills}
              keyOf={({ backfill_id }) => backfill_id}
            />
          )
        }
      </Loaded>
      <ShowMore pages={pages} />
      {isStarting && <StartBackfill onClose={() => setStarting(false)} />}
    </>
  );
}

const tracesOf = ({ for_agent, sampling_rate }: ListedBackfill): string =>
  [
    for_agent === null ? texts.allTraces : texts.ofAgent(for_agent),
    ...(sampling_rate === 1 ? [] : [texts.sampled(percent(sampling_rate))]),
  ].join(', ');

const columnsAt = (now: number, cancel: (id: string) => void): readonly Column<ListedBackfill>[] => [
  {
    id: 'judge',
    head: texts.columns.judge,
    phone: 'name',
    cell: ({ judge_id, behavior_id }) => {
      if (behavior_id !== null) return <BehaviorLink id={behavior_id} />;
      return judge_id === null ? <span className="strong">{texts.allJudges}</span> : <JudgeLink id={judge_id} />;
    },
  },
  {
    id: 'for',
    head: texts.columns.for,
    phone: 'hide',
    cell: (backfill) => <span className="second">{tracesOf(backfill)}</span>,
  },
  {
    id: 'progress',
    head: texts.columns.progress,
    width: 190,
    phone: 'detail',
    cell: ({ status, progress, reason }) =>
      status === 'running' ? (
        <span className={styles.progress}>
          <progress value={progress} max={1} aria-label={texts.progress(percent(progress))} />
          <span className="second">{percent(progress)}</span>
        </span>
      ) : (
        <span className={status === 'done' ? 'good' : 'third'} title={reason ?? undefined}>
          {texts.states[status]}
        </span>
      ),
  },
  ...(['traces', 'verdicts'] as const).map(
    (id): Column<ListedBackfill> => ({
      ...{ id, head: texts.columns[id], width: 104, end: true, phone: 'hide' },
      cell: (backfill) => <span className="second">{number(backfill[id])}</span>,
    }),
  ),
  {
    ...{ id: 'found', head: texts.columns.found, width: 104, end: true, phone: 'hide' },
    cell: (backfill) => <Found backfill={backfill} />,
  },
  ageColumn(texts.columns.started, now),
  {
    id: 'do',
    head: texts.columns.do,
    width: 92,
    end: true,
    phone: 'value',
    cell: ({ backfill_id, judge_id, behavior_id, status }) =>
      status === 'running' && (
        <Button
          kind="quiet"
          aria-label={texts.cancelOf(behavior_id ?? judge_id ?? texts.allJudges)}
          onClick={() => cancel(backfill_id)}
        >
          {texts.cancel}
        </Button>
      ),
  },
];

/** Traces that judges failed, or those that have the behavior, which is neither good nor bad. */
function Found({ backfill: { judge_id, behavior_id, for_agent, failed } }: { backfill: ListedBackfill }) {
  const isOfJudges = behavior_id === null;
  const shown = isOfJudges ? texts.failed(failed) : texts.matched(failed);
  if (failed === 0) return <span className="second">{shown}</span>;
  return isOfJudges ? (
    <a className="bad" href={failuresHref(judge_id, for_agent)}>
      {shown}
    </a>
  ) : (
    <a href={hrefOf('behaviors', behavior_id)}>{shown}</a>
  );
}

const failuresHref = (judge: string | null, agent: string | null): string =>
  hrefOf('verdicts', '', { result: 'fail', judge: judge ?? undefined, agent: agent ?? undefined });

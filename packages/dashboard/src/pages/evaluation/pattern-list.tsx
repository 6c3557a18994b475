import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useAction, useOperation, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { useRefreshWhile } from '../../data/use-refresh-while.ts';
import { hrefOf } from '../../router/address.ts';
import { choiceParameter, navigate, useSearch } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { ago, dayAndTime, fullTimeOf } from '../../texts/format.ts';
import { patterns as texts } from '../../texts/patterns.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Tag } from '../../ui/marks.tsx';
import { ErrorState, Progress } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from '../branches/branches.module.css';
import evaluationStyles from './evaluation.module.css';
import { NoneYet } from './none-yet.tsx';
import { type ListedPattern, PATTERN_ANSWERS, PATTERN_TONES, SEVERITY_TONES, subjectOf } from './pattern-data.ts';
import { StatusList } from './status-list.tsx';

const STATUSES = ['', 'open', 'resolved', 'cleared'] as const;
type PatternsStatus = (typeof STATUSES)[number];
const parameters = { status: choiceParameter<PatternsStatus>('', STATUSES) };
const FIRST = { name: 'pattern_scans.create', input: {} } as const;
const NEWEST_SCAN = { limit: 1 };
const WHILE_RUNNING_MS = 1_000;
/** Somebody else may scan. The stream does not say so: what admins do is not for every agent. */
const OTHERWISE_MS = 5_000;

/** All patterns, the most severe first, and the scan that looks for them. */
export function PatternList() {
  const now = useNow();
  useCrumbs([{ label: texts.title }]);
  const [{ status }, set] = useSearch(parameters);
  const input = { limit: 50, ...(status === '' ? {} : { status }) };
  const call = { name: 'detected_patterns.list', input } as const;
  const pages = usePages('detected_patterns.list', input);
  const rows = pages.data?.pages.flatMap((page) => page.patterns) ?? [];
  const start = useAction('pattern_scans.create', {
    changes: PATTERN_ANSWERS,
    onDone: () => showToast(texts.started),
  });
  const scan = () => start.mutate({});
  useCommands([{ id: 'scan-patterns', label: texts.scan, keys: 'n', group: 'page', run: scan }]);
  return (
    <StatusList
      texts={texts}
      statuses={STATUSES}
      status={status}
      onStatus={(next) => set({ status: next })}
      call={call}
      pages={pages}
      rows={rows}
      columns={columnsAt(now)}
      keyOf={({ pattern_id }) => pattern_id}
      onOpen={({ pattern_id }) => navigate(hrefOf('patterns', pattern_id))}
      none={<NoneYet texts={texts} status={status === '' ? undefined : texts.statusOf[status]} first={FIRST} />}
      actions={
        <Button kind="ink" onClick={scan}>
          {texts.scan}
        </Button>
      }
    >
      <NewestScan error={start.error} now={now} />
    </StatusList>
  );
}

/** Asks for the patterns again when the newest scan is another one, or has ended: a short one is never seen running. */
function useFoundByScan(seen: string | undefined): void {
  const queries = useQueryClient();
  const before = useRef<string>(undefined);
  useEffect(() => {
    if (seen !== undefined && before.current !== undefined && seen !== before.current)
      void queries.invalidateQueries({ queryKey: ['detected_patterns.list'] });
    before.current = seen ?? before.current;
  }, [seen, queries]);
}

/** How far the newest scan is, or what it looked at and when. */
function NewestScan({ error, now }: { error: unknown; now: number }) {
  const { data } = useOperation('pattern_scans.list', NEWEST_SCAN);
  const scan = data?.scans[0];
  const isRunning = scan?.status === 'running';
  useRefreshWhile(data !== undefined, 'pattern_scans.list', isRunning ? WHILE_RUNNING_MS : OTHERWISE_MS);
  useFoundByScan(data && `${scan?.scan_id} ${scan?.status}`);
  const cancel = useAction('pattern_scans.cancel', {
    changes: PATTERN_ANSWERS,
    onDone: () => showToast(texts.cancelled),
  });
  const failed = error ?? cancel.error;
  if (!scan && !failed) return null;
  return (
    <div className={styles.inset}>
      {failed ? <ErrorState error={failed} isAction /> : null}
      {scan?.ended_at && (
        <span className="third">{texts.lastScan(dayAndTime(scan.ended_at, now), scan.scanned_entries)}</span>
      )}
      {isRunning && (
        <Progress
          label={texts.scanning(scan.scanned_entries)}
          done={scan.progress}
          total={1}
          onCancel={() => cancel.mutate({ scan_id: scan.scan_id })}
        />
      )}
    </div>
  );
}

const columnsAt = (now: number): readonly Column<ListedPattern>[] => [
  {
    ...{ id: 'pattern', head: texts.columns.pattern, width: '19%', phone: 'name' },
    cell: ({ pattern_id, pattern_type }) => (
      <span className={styles.branch}>
        <Icon name="pattern" />
        <a className="strong cut" href={hrefOf('patterns', pattern_id)}>
          {texts.types[pattern_type]}
        </a>
      </span>
    ),
  },
  {
    ...{ id: 'about', head: texts.columns.about, width: '15%', phone: 'detail' },
    cell: (pattern) => (
      <span className="cut" title={subjectOf(pattern)}>
        {subjectOf(pattern)}
      </span>
    ),
  },
  {
    ...{ id: 'what', head: texts.columns.what, phone: 'hide' },
    cell: ({ description }) => (
      <span className={`${evaluationStyles.sentence} second`} title={description}>
        {description}
      </span>
    ),
  },
  {
    ...{ id: 'severity', head: texts.columns.severity, width: 92, phone: 'value' },
    cell: ({ severity, status }) => (
      <>
        {status !== 'open' && (
          <span className="phone-only">
            <Tag tone={PATTERN_TONES[status]}>{texts.statusOf[status]}</Tag>{' '}
          </span>
        )}
        <Tag tone={SEVERITY_TONES[severity]}>{texts.severities[severity]}</Tag>
      </>
    ),
  },
  {
    ...{ id: 'status', head: texts.columns.status, width: 92, phone: 'hide' },
    cell: ({ status }) => <Tag tone={PATTERN_TONES[status]}>{texts.statusOf[status]}</Tag>,
  },
  {
    ...{ id: 'opened', head: texts.columns.opened, width: 92, phone: 'time' },
    cell: ({ opened_at }) => (
      <time className="third" dateTime={opened_at} title={fullTimeOf(opened_at)}>
        {ago(opened_at, now)}
      </time>
    ),
  },
];

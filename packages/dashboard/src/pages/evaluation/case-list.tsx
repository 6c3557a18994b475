import type { Output } from '../../data/client.ts';
import { usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { useCrumbs } from '../../shell/crumbs.ts';
import { cases as texts } from '../../texts/failures.ts';
import { ago, fullTimeOf } from '../../texts/format.ts';
import { CallCode } from '../../ui/call-code.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from '../branches/branches.module.css';
import { CaseRuns } from './case-runs.tsx';
import evaluationStyles from './evaluation.module.css';
import { TraceLink } from './evaluation-marks.tsx';

type ListedCase = Output<'cases.list'>['cases'][number];

const input = { limit: 50 };
const call = { name: 'cases.list', input } as const;

/** A case that can be kept as it is. */
const FIRST = {
  name: 'cases.create',
  input: { case_id: 'refund-once', task_input: 'The customer was charged twice: pay one back.' },
} as const;

/** All cases by set, and the runs of them. */
export function CaseList() {
  const now = useNow();
  useCrumbs([{ label: texts.title }]);
  const pages = usePages('cases.list', input);
  const rows = pages.data?.pages.flatMap((page) => page.cases) ?? [];
  return (
    <>
      <div className={`${styles.title} ${styles.alone}`}>
        <div className={styles.headLine}>
          <h1>{texts.title}</h1>
          <span className="third wide-only">{texts.note}</span>
          <span className="grow" />
          <CopyAs call={call} />
        </div>
      </div>
      <Loaded answer={pages} call={call} rows={6}>
        {() =>
          rows.length === 0 ? (
            <div className={styles.empty}>
              <EmptyState title={texts.none}>
                <p className="second">{texts.noneHint}</p>
                <CallCode label={texts.title} calls={[FIRST]} />
              </EmptyState>
            </div>
          ) : (
            <Table
              label={texts.title}
              columns={columnsAt(now)}
              rows={rows}
              keyOf={({ case_id }) => case_id}
              onOpen={({ case_id }) => navigate(hrefOf('cases', case_id))}
            />
          )
        }
      </Loaded>
      <ShowMore pages={pages} />
      {rows.length > 0 && (
        <div className={evaluationStyles.apart}>
          <CaseRuns />
        </div>
      )}
    </>
  );
}

const columnsAt = (now: number): readonly Column<ListedCase>[] => [
  {
    ...{ id: 'name', head: texts.columns.name, phone: 'name' },
    cell: ({ case_id, name }) => (
      <span className={styles.branch}>
        <Icon name="flask" />
        <a className="strong cut" href={hrefOf('cases', case_id)} title={case_id}>
          {name}
        </a>
      </span>
    ),
  },
  {
    ...{ id: 'set', head: texts.columns.set, width: 160, phone: 'detail' },
    cell: ({ set_id }) => <span className="second">{set_id}</span>,
  },
  {
    ...{ id: 'version', head: texts.columns.version, width: 84, phone: 'hide' },
    cell: ({ version }) => <span className="second">{texts.version(version)}</span>,
  },
  {
    ...{ id: 'from', head: texts.columns.from, width: 132, phone: 'hide' },
    cell: ({ trace_id }) =>
      trace_id === null ? <span className="third">{texts.byHand}</span> : <TraceLink id={trace_id} />,
  },
  {
    ...{ id: 'changed', head: texts.columns.changed, width: 92, phone: 'time' },
    cell: ({ updated_at }) => (
      <time className="third" dateTime={updated_at} title={fullTimeOf(updated_at)}>
        {ago(updated_at, now)}
      </time>
    ),
  },
];

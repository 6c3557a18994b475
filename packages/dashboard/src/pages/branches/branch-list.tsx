import { useState } from 'react';
import { useOperation, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { choiceParameter, navigate, useSearch } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { branches as texts } from '../../texts/branches.ts';
import { ago, fullTimeOf } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { CallCode } from '../../ui/call-code.tsx';
import { Segmented } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import type { BranchLine } from './branch-data.ts';
import { CreateBranch } from './branch-dialogs.tsx';
import { BranchState, LastWrite, MovedOf } from './branch-marks.tsx';
import styles from './branches.module.css';

const STATUSES = ['active', 'merged', 'closed', 'all'] as const;
type ListStatus = (typeof STATUSES)[number];
const parameters = { status: choiceParameter<ListStatus>('active', STATUSES) };
const PAGE = 25;

const columnsAt = (now: number): readonly Column<BranchLine>[] => [
  {
    id: 'name',
    head: texts.columns.name,
    phone: 'name',
    cell: ({ name, parent_branch, fork_seq }) => (
      <span className={styles.branch}>
        <Icon name="branch" />
        <a className="mono strong cut" href={hrefOf('branches', name)} title={name}>
          {name}
        </a>
        {parent_branch !== null && <span className="third small wide-only">{texts.from(parent_branch, fork_seq)}</span>}
      </span>
    ),
  },
  {
    id: 'moved',
    head: texts.columns.moved,
    width: 200,
    phone: 'value',
    cell: ({ name, parent_branch }) => (parent_branch === null ? null : <MovedOf name={name} />),
  },
  {
    id: 'last',
    head: texts.columns.last,
    width: 210,
    phone: 'detail',
    cell: ({ name }) => <LastWrite name={name} now={now} />,
  },
  {
    id: 'state',
    head: texts.columns.state,
    width: 144,
    phone: 'time',
    cell: (branch) => <BranchState branch={branch} />,
  },
  {
    id: 'made',
    head: texts.columns.made,
    width: 190,
    phone: 'hide',
    cell: ({ created_by, created_at }) =>
      created_at !== null && (
        <span className="second">
          {created_by}{' '}
          <time className="third" dateTime={created_at} title={fullTimeOf(created_at)}>
            {ago(created_at, now)}
          </time>
        </span>
      ),
  },
];

/** All branches, `main` first and then the newest. */
export function BranchList() {
  const now = useNow();
  const [{ status }, set] = useSearch(parameters);
  const [isCreating, setCreating] = useState(false);
  const input = { limit: PAGE, ...(status === 'all' ? {} : { status }) };
  const pages = usePages('branches.list', input);
  const main = useOperation('branches.read', { name: 'main' });
  const call = { name: 'branches.list', input } as const;
  useCommands([{ id: 'new-branch', label: texts.newBranch, keys: 'n', group: 'page', run: () => setCreating(true) }]);
  const listed = pages.data?.pages.flatMap((page) => page.branches) ?? [];
  const withMain = main.data && (status === 'active' || status === 'all') ? [main.data, ...listed] : listed;
  return (
    <>
      <div className={styles.bar}>
        <Segmented
          label={texts.status}
          value={status}
          choices={STATUSES.map((value) => ({ value, label: texts.statuses[value] }))}
          onChange={(next) => set({ status: next })}
        />
        <span className="grow" />
        <CopyAs call={call} />
        <Button kind="ink" onClick={() => setCreating(true)}>
          {texts.newBranch}
        </Button>
      </div>
      <Loaded answer={pages} call={call} rows={6}>
        {() => (
          <>
            {withMain.length > 0 && (
              <Table
                label={texts.title}
                columns={columnsAt(now)}
                rows={withMain}
                keyOf={({ name }) => name}
                onOpen={({ name }) => navigate(hrefOf('branches', name))}
              />
            )}
            {listed.length === 0 && <NoBranch status={status} />}
            <ShowMore pages={pages} />
          </>
        )}
      </Loaded>
      {isCreating && <CreateBranch onClose={() => setCreating(false)} />}
    </>
  );
}

function NoBranch({ status }: { status: ListStatus }) {
  const isAny = status === 'all' || status === 'active';
  const call = { name: 'branches.create', input: { name: 'experiment/retries' } } as const;
  return (
    <div className={styles.empty}>
      <EmptyState title={isAny ? texts.none : texts.noneOf(texts.statusOf[status])}>
        {isAny && (
          <>
            <p className="second">{texts.noneHint}</p>
            <CallCode label={texts.newBranch} calls={[call]} />
          </>
        )}
      </EmptyState>
    </div>
  );
}

import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { useAction, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { choiceParameter, navigate, textParameter, useSearch } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { branches } from '../../texts/branches.ts';
import { number } from '../../texts/format.ts';
import { quarantine as texts } from '../../texts/quarantine.ts';
import { Button } from '../../ui/button.tsx';
import { CallCode } from '../../ui/call-code.tsx';
import { Segmented } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { EntryName, Tag } from '../../ui/marks.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, ErrorState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { showToast } from '../../ui/toast.tsx';
import { BRANCH_ANSWERS } from './branch-data.ts';
import styles from './branches.module.css';
import { ageColumn, authorColumn } from './columns.tsx';
import { CreateQuarantine } from './quarantine-dialog.tsx';

const STATUSES = ['active', 'undone', 'all'] as const;
type QuarantineStatus = (typeof STATUSES)[number];
const parameters = {
  status: choiceParameter<QuarantineStatus>('active', STATUSES),
  quarantine: textParameter(),
};
const PAGE = 50;

type ListedQuarantine = Output<'quarantine.list'>['quarantines'][number];
type HeldEntry = Output<'quarantine.read'>['entries'][number];

const hrefOfOne = (id: string): string => hrefOf('branches', '', { view: 'quarantine', quarantine: id });

/** What was taken out of reads, and why. */
export function QuarantinePart() {
  const [{ status, quarantine }, set] = useSearch(parameters);
  const [isCreating, setCreating] = useState(false);
  useCommands([{ id: 'quarantine', label: texts.add, keys: 'n', group: 'page', run: () => setCreating(true) }]);
  if (quarantine !== '') return <OneQuarantine key={quarantine} id={quarantine} />;
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
        <span className="third wide-only">{texts.note}</span>
        <span className="grow" />
        <CopyAs call={{ name: 'quarantine.list', input }} />
        <Button kind="ink" onClick={() => setCreating(true)}>
          {texts.add}
        </Button>
      </div>
      <QuarantineLines input={input} />
      {isCreating && <CreateQuarantine onClose={() => setCreating(false)} />}
    </>
  );
}

const EXAMPLE = { written_by: 'agent/importer', reason: 'it read the wrong file' };

function QuarantineLines({ input }: { input: { limit: number; status?: 'active' | 'undone' } }) {
  const now = useNow();
  const call = { name: 'quarantine.list', input } as const;
  const pages = usePages('quarantine.list', input);
  const lines = pages.data?.pages.flatMap((page) => page.quarantines) ?? [];
  return (
    <>
      <Loaded answer={pages} call={call}>
        {() =>
          lines.length === 0 ? (
            <div className={styles.empty}>
              <EmptyState title={texts.none}>
                <p className="second">{texts.noneHint}</p>
                <CallCode label={texts.add} calls={[{ name: 'quarantine.create', input: EXAMPLE }]} />
              </EmptyState>
            </div>
          ) : (
            <Table
              label={texts.title}
              columns={columnsAt(now)}
              rows={lines}
              keyOf={({ quarantine_id }) => quarantine_id}
              onOpen={({ quarantine_id }) => navigate(hrefOfOne(quarantine_id))}
            />
          )
        }
      </Loaded>
      <ShowMore pages={pages} />
    </>
  );
}

const State = ({ of: { status } }: { of: ListedQuarantine }) => (
  <Tag tone={status === 'active' ? 'warn' : 'mute'}>{texts.statusOf[status]}</Tag>
);

const columnsAt = (now: number): readonly Column<ListedQuarantine>[] => [
  {
    id: 'reason',
    head: texts.columns.reason,
    phone: 'name',
    cell: ({ quarantine_id, reason }) => (
      <a className="strong" href={hrefOfOne(quarantine_id)} title={reason}>
        {reason || texts.noReason}
      </a>
    ),
  },
  { id: 'state', head: texts.columns.state, width: 110, phone: 'value', cell: (line) => <State of={line} /> },
  {
    id: 'entries',
    head: texts.columns.entries,
    width: 80,
    end: true,
    phone: 'hide',
    cell: (line) => number(line.entries),
  },
  {
    id: 'decisions',
    head: texts.columns.decisions,
    width: 90,
    end: true,
    phone: 'hide',
    cell: ({ decisions }) => number(decisions),
  },
  authorColumn(texts.columns.by, { width: 140, phone: 'detail' }),
  ageColumn(texts.columns.at, now),
];

/** One quarantine, with the entries that it holds. */
function OneQuarantine({ id }: { id: string }) {
  const input = { quarantine_id: id, limit: PAGE };
  const call = { name: 'quarantine.read', input } as const;
  const pages = usePages('quarantine.read', input);
  const release = useAction('quarantine.undo', {
    changes: BRANCH_ANSWERS,
    onDone: ({ entries }) => showToast(texts.released(entries)),
  });
  const quarantine = pages.data?.pages[0]?.quarantine;
  const entries = pages.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <>
      <div className={styles.bar}>
        <a className="link" href={hrefOf('branches', '', { view: 'quarantine' })}>
          {texts.back}
        </a>
        {quarantine && (
          <>
            <h2>{quarantine.reason || texts.noReason}</h2>
            <State of={quarantine} />
            <span className="third small">{branches.by(quarantine.agent_id)}</span>
            <span className="third small">{texts.decisions(quarantine.decisions)}</span>
          </>
        )}
        <span className="grow" />
        <CopyAs call={call} />
        {quarantine?.status === 'active' && (
          <Button kind="ink" busy={release.isPending} onClick={() => release.mutate({ quarantine_id: id })}>
            {texts.release}
          </Button>
        )}
      </div>
      {release.error && (
        <div className={styles.inset}>
          <ErrorState error={release.error} isAction />
        </div>
      )}
      <Loaded answer={pages} call={call}>
        {() => (
          <Table
            label={texts.entries}
            columns={entryColumns}
            rows={entries}
            keyOf={({ branch, entity_path, key }) => `${branch} ${entity_path}/${key}`}
            onOpen={(entry) => navigate(hrefOfEntry(entry))}
          />
        )}
      </Loaded>
      <ShowMore pages={pages} />
    </>
  );
}

const hrefOfEntry = ({ entity_path, key, branch }: HeldEntry): string =>
  hrefOf('memory', entity_path, { key, ...(branch === 'main' ? {} : { branch }) });

const entryColumns: readonly Column<HeldEntry>[] = [
  {
    id: 'entry',
    head: texts.entryColumns.entry,
    phone: 'name',
    cell: (entry) => (
      <a href={hrefOfEntry(entry)}>
        <EntryName path={entry.entity_path} name={entry.key} /> <span className="third">v{entry.version}</span>
      </a>
    ),
  },
  {
    id: 'branch',
    head: texts.entryColumns.branch,
    width: 160,
    phone: 'hide',
    cell: ({ branch }) => <Tag>{branch}</Tag>,
  },
  {
    id: 'by',
    head: texts.entryColumns.by,
    width: 160,
    phone: 'detail',
    cell: ({ agent_id }) => <a href={hrefOf('agents', agent_id)}>{agent_id}</a>,
  },
  {
    id: 'depth',
    head: texts.entryColumns.depth,
    width: 90,
    phone: 'hide',
    cell: ({ depth }) => (
      <span className="second" title={texts.stepsHint}>
        {texts.steps(depth)}
      </span>
    ),
  },
  {
    id: 'state',
    head: texts.entryColumns.state,
    width: 140,
    phone: 'value',
    cell: ({ quarantined }) => (quarantined ? <Tag tone="warn">{texts.held}</Tag> : <Tag>{texts.notHeld}</Tag>),
  },
];

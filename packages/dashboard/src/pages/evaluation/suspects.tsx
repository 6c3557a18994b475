import type { Output, Request } from '../../data/client.ts';
import { useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { percent } from '../../texts/format.ts';
import { incidents as texts } from '../../texts/incidents.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { EntryName, Tag } from '../../ui/marks.tsx';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from './evaluation.module.css';

export type Suspect = Output<'failures.attribute'>['suspects'][number];

/** Versions of memory with which runs fail more often than without them. */
export function Suspects({ of }: { of: Omit<Request<'failures.attribute'>, 'limit'> }) {
  const input = { ...of, limit: 5 };
  const call = { name: 'failures.attribute', input } as const;
  const answer = useOperation('failures.attribute', input);
  return (
    <Section
      title={texts.suspects}
      note={texts.suspectsNote[of.behavior_id === undefined ? 'judge' : 'behavior']}
      bleed
      actions={<CopyAs call={call} />}
    >
      <Loaded answer={answer} call={call} rows={3}>
        {({ suspects, failed }) =>
          suspects.some(standsByItself) ? (
            <SuspectTable suspects={suspects} />
          ) : (
            <p className={`${styles.none} third`}>{failed === 0 ? texts.noFailure : texts.noSuspect}</p>
          )
        }
      </Loaded>
    </Section>
  );
}

/** Nothing else explains it, such as a tool with which runs fail whatever they read. */
export const standsByItself = ({ explained_by }: Suspect): boolean => explained_by === null;

export const SuspectTable = ({ suspects }: { suspects: readonly Suspect[] }) => (
  <Table
    label={texts.suspects}
    columns={columns}
    rows={suspects.filter(standsByItself)}
    keyOf={({ entity_path, key, version }) => `${entity_path}/${key}@${version}`}
  />
);

const shareOf = (rate: number | null): string => (rate === null ? '–' : percent(rate));

const columns: readonly Column<Suspect>[] = [
  {
    ...{ id: 'entry', head: texts.suspectColumns.entry, phone: 'name' },
    cell: ({ entity_path, key, deleted }) => (
      <span className="line">
        <a className="cut" href={hrefOf('memory', entity_path, { key })}>
          <EntryName path={entity_path} name={key} />
        </a>
        {deleted && <Tag>{texts.deleted}</Tag>}
      </span>
    ),
  },
  {
    ...{ id: 'version', head: texts.suspectColumns.version, width: 72, phone: 'hide' },
    cell: ({ version }) => <span className="second">{texts.version(version)}</span>,
  },
  {
    ...{ id: 'by', head: texts.suspectColumns.by, width: 160, phone: 'detail' },
    cell: ({ written_by }) => (written_by === null ? '–' : <a href={hrefOf('agents', written_by)}>{written_by}</a>),
  },
  {
    ...{ id: 'with', head: texts.suspectColumns.with, width: 92, end: true, phone: 'hide' },
    cell: ({ with_it }) => <span className="bad">{shareOf(with_it.rate)}</span>,
  },
  {
    ...{ id: 'without', head: texts.suspectColumns.without, width: 92, end: true, phone: 'hide' },
    cell: ({ without_it }) => <span className="second">{shareOf(without_it.rate)}</span>,
  },
  {
    ...{ id: 'lift', head: texts.suspectColumns.lift, width: 84, end: true, phone: 'value' },
    cell: ({ lift }) => (
      <span className="strong" title={`${texts.lift(lift.low)} – ${texts.lift(lift.high)}`}>
        {texts.lift(lift.ratio)}
      </span>
    ),
  },
];

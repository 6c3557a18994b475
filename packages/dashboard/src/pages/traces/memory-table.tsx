import { useState } from 'react';
import { confidence } from '../../texts/format.ts';
import { traces } from '../../texts/traces.ts';
import { Button } from '../../ui/button.tsx';
import { Delta, EntryName, Status } from '../../ui/marks.tsx';
import { Section } from '../../ui/section.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useCurrent } from './read-details.tsx';
import type { CausalEntry } from './steps.ts';
import styles from './traces.module.css';
import { type Affected, affectedOf, type TraceData } from './use-trace.ts';

const texts = traces.memory;
/** Each row asks for the version of now. */
const FIRST = 25;

type MemoryRow = { id: string; read: CausalEntry; affected: Affected | undefined };

const columns: readonly Column<MemoryRow>[] = [
  {
    id: 'entry',
    head: texts.columns.entry,
    phone: 'name',
    cell: ({ read }) => <EntryName path={read.entity_path} name={read.key} />,
  },
  {
    id: 'then',
    head: texts.columns.read,
    width: 92,
    phone: 'hide',
    cell: ({ read }) => traces.one.version(read.version),
  },
  { id: 'now', head: texts.columns.now, width: 92, phone: 'time', cell: ({ read }) => <VersionNow read={read} /> },
  { id: 'by', head: texts.columns.by, width: 128, phone: 'hide', cell: ({ read }) => <ChangedBy read={read} /> },
  {
    id: 'status',
    head: texts.columns.status,
    width: 112,
    phone: 'hide',
    cell: ({ affected }) => affected?.evidence_status && <Status status={affected.evidence_status} />,
  },
  {
    id: 'confidence',
    head: texts.columns.confidence,
    width: 136,
    phone: 'value',
    cell: ({ read, affected }) => <Moved read={read} affected={affected} />,
  },
  {
    id: 'why',
    head: texts.columns.why,
    phone: 'detail',
    cell: ({ affected }) => (
      <span className="second small" title={affected?.why}>
        {affected?.why ?? texts.notNamed}
      </span>
    ),
  },
];

type MemoryTableProps = { data: TraceData; selected: string; onSelect: (id: string) => void };

/** What was read, joined with what the outcome moved and why. */
export function MemoryTable({ data, selected, onSelect }: MemoryTableProps) {
  const [isWhole, setWhole] = useState(false);
  const reads = data.trace.causal_entries;
  const rows = (isWhole ? reads : reads.slice(0, FIRST)).map(
    (read, i): MemoryRow => ({ id: `read-${i}`, read, affected: affectedOf(data, read) }),
  );
  const moved = data.trace.state_diff.confidence_changes.length;
  return (
    <Section title={texts.title} note={texts.note(reads.length, moved)} bleed>
      {reads.length === 0 ? (
        <p className={`${styles.none} third`}>{texts.none}</p>
      ) : (
        <Table
          label={texts.title}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          selected={selected}
          onOpen={({ id }) => onSelect(id)}
        />
      )}
      {reads.length > rows.length && (
        <p className={styles.none}>
          <Button onClick={() => setWhole(true)}>{texts.showAll(reads.length)}</Button>
        </p>
      )}
    </Section>
  );
}

function VersionNow({ read }: { read: CausalEntry }) {
  const { current } = useCurrent(read);
  if (!current) return null;
  if (current.deleted) return <span className="warn">{texts.deleted}</span>;
  if (current.version === read.version) return <span className="third">{texts.same(current.version)}</span>;
  return <span className="warn">{traces.one.version(current.version)}</span>;
}

function ChangedBy({ read }: { read: CausalEntry }) {
  const { current } = useCurrent(read);
  if (!current) return null;
  const isSame = current.version === read.version;
  return <span className={isSame ? 'third' : 'second'}>{isSame ? texts.byNone : current.provenance.agent_id}</span>;
}

function Moved({ read, affected }: Pick<MemoryRow, 'read' | 'affected'>) {
  if (affected?.applied && affected.confidence_after !== null)
    return <Delta before={affected.confidence_before} after={affected.confidence_after} />;
  return <span className="mono third">{texts.unmoved(confidence(affected?.confidence_after ?? read.confidence))}</span>;
}

import type { ReactNode } from 'react';
import type { Output } from '../../data/client.ts';
import { hrefOf } from '../../router/address.ts';
import { withTimes } from '../../texts/format.ts';
import { investigation as texts } from '../../texts/investigation.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { comparable } from '../../ui/diff.tsx';
import { EntryName } from '../../ui/marks.tsx';
import { Section } from '../../ui/section.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { TraceLink } from './evaluation-marks.tsx';
import styles from './investigation.module.css';
import { SegmentTable } from './segment-table.tsx';
import { SuspectTable, standsByItself } from './suspects.tsx';
import type { ShownLine } from './use-investigation.ts';

/** What a step rests on, as its operation answers it; a step that was refused has nothing. */
type Evidence = Partial<
  Pick<Output<'segments.list'>, 'segments'> &
    Pick<Output<'failures.attribute'>, 'suspects'> & {
      trace_ids: readonly string[];
      trace_id: string;
      changes: readonly MemoryChange[];
    }
>;
type MemoryChange = {
  entity_path: string;
  key: string;
  version: number;
  written_by: string | null;
  failing_readers: number;
  passing_readers: number;
};

/** A step: what was looked at, what that showed, and the rows or traces that it rests on. */
export function InvestigationStep({ line }: { line: ShownLine }) {
  const { no, step, chosen_by, reason, found } = line;
  return (
    <Section title={texts.nameOf(no, texts.stepOf[step])} note={reason ?? texts.chosen[chosen_by]} bleed>
      <p className={`${styles.found} second prose`}>{withTimes(found)}</p>
      {evidenceOf(line)}
    </Section>
  );
}

function evidenceOf({ step, data }: ShownLine): ReactNode {
  const { segments = [], suspects = [], trace_ids = [], trace_id, changes = [] } = (data ?? {}) as Evidence;
  if (step === 'segments') return segments.length > 0 && <SegmentTable segments={segments} />;
  if (step === 'attribution') return suspects.some(standsByItself) && <SuspectTable suspects={suspects} />;
  if (step === 'divergence') return trace_ids.length === 2 && <TwoTraces ids={trace_ids} />;
  if (step === 'memory_changes') return <Changes changes={changes} first={trace_id} />;
  return (
    <div className={styles.evidence}>
      <Code label={texts.evidence} text={comparable(data)} json />
    </div>
  );
}

function TwoTraces({ ids: [failing = '', passing = ''] }: { ids: readonly string[] }) {
  return (
    <p className={styles.pair}>
      <ButtonLink href={hrefOf('traces', 'compare', { a: failing, b: passing })}>{texts.compare}</ButtonLink>
      <span className="second">
        {texts.failing} <TraceLink id={failing} />
      </span>
      <span className="second">
        {texts.passing} <TraceLink id={passing} />
      </span>
    </p>
  );
}

function Changes({ changes, first }: { changes: readonly MemoryChange[]; first: string | undefined }) {
  return (
    <>
      {first !== undefined && (
        <p className={`${styles.pair} second`}>
          {texts.first} <TraceLink id={first} />
        </p>
      )}
      {changes.length > 0 && (
        <Table
          label={texts.stepOf.memory_changes}
          columns={columns}
          rows={changes}
          keyOf={({ entity_path, key, version }) => `${entity_path}/${key}@${version}`}
        />
      )}
    </>
  );
}

const columns: readonly Column<MemoryChange>[] = [
  {
    ...{ id: 'entry', head: texts.columns.entry, phone: 'name' },
    cell: ({ entity_path, key }) => (
      <a href={hrefOf('memory', entity_path, { key })}>
        <EntryName path={entity_path} name={key} />
      </a>
    ),
  },
  {
    ...{ id: 'version', head: texts.columns.version, width: 72, phone: 'hide' },
    cell: ({ version }) => <span className="second">{texts.version(version)}</span>,
  },
  {
    ...{ id: 'by', head: texts.columns.by, width: 160, phone: 'detail' },
    cell: ({ written_by }) => (written_by === null ? '–' : <a href={hrefOf('agents', written_by)}>{written_by}</a>),
  },
  {
    ...{ id: 'failing', head: texts.columns.failing, width: 120, end: true, phone: 'value' },
    cell: ({ failing_readers }) => <span className="bad">{texts.readers(failing_readers)}</span>,
  },
  {
    ...{ id: 'passing', head: texts.columns.passing, width: 84, end: true, phone: 'hide' },
    cell: ({ passing_readers }) => <span className="second">{texts.readers(passing_readers)}</span>,
  },
];

import type { Output } from '../../data/client.ts';
import { failures as texts } from '../../texts/failures.ts';
import { number } from '../../texts/format.ts';
import { Tag } from '../../ui/marks.tsx';
import { type Column, Table } from '../../ui/table.tsx';

export type Segment = Output<'segments.list'>['segments'][number];

/** How often each segment fails, and whether that is more than chance. */
export const SegmentTable = ({
  segments,
  label = texts.segments,
}: {
  segments: readonly Segment[];
  label?: string;
}) => (
  <Table label={label} columns={columns} rows={segments} keyOf={({ dimension, value }) => `${dimension}=${value}`} />
);

const columns: readonly Column<Segment>[] = [
  {
    ...{ id: 'dimension', head: texts.columns.dimension, width: 160, phone: 'name' },
    cell: ({ dimension }) => <span className="second">{dimension}</span>,
  },
  {
    ...{ id: 'value', head: texts.columns.value, phone: 'detail' },
    cell: ({ value }) => <span className="strong">{String(value)}</span>,
  },
  {
    ...{ id: 'runs', head: texts.columns.runs, width: 72, end: true, phone: 'hide' },
    cell: ({ fails }) => <span className="second">{number(fails.of)}</span>,
  },
  {
    ...{ id: 'fails', head: texts.columns.fails, width: 72, end: true, phone: 'hide' },
    cell: ({ fails, differs }) => (
      <span className={differs === 'worse' ? 'bad' : 'second'}>{texts.rate(fails.rate)}</span>
    ),
  },
  {
    ...{ id: 'rest', head: texts.columns.rest, width: 72, end: true, phone: 'hide' },
    cell: ({ rest }) => <span className="second">{texts.rate(rest.rate)}</span>,
  },
  {
    ...{ id: 'difference', head: texts.columns.difference, width: 110, end: true, phone: 'value' },
    cell: ({ difference, low, high }) => (
      <span className="second" title={texts.between(low, high)}>
        {texts.points(difference)}
      </span>
    ),
  },
  {
    ...{ id: 'differs', head: texts.columns.differs, width: 132, phone: 'time', isNamed: true },
    cell: ({ differs }) =>
      differs === null ? (
        <span className="third">{texts.no}</span>
      ) : (
        <Tag tone={differs === 'worse' ? 'bad' : 'good'}>{texts.differs[differs]}</Tag>
      ),
  },
];

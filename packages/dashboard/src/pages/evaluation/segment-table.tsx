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
  <Table
    label={label}
    columns={columns}
    rows={segments.filter((segment) => !isRepeated(segment, segments))}
    keyOf={({ dimension, value }) => `${dimension}=${value}`}
  />
);

const ATTRIBUTE = 'attributes.';
const DIMENSIONS: Readonly<Record<string, string>> = texts.dimensions;

/** What runs are cut by, in words. */
export const dimensionName = (name: string): string =>
  name.startsWith(ATTRIBUTE) ? texts.attribute(name.slice(ATTRIBUTE.length)) : (DIMENSIONS[name] ?? name);

const valueText = (value: Segment['value']): string =>
  typeof value === 'boolean' ? texts.yesNo(value) : String(value);

/** Attributes that say what a run has anyway, such as its model, cut the runs in the same way. */
const isRepeated = ({ dimension, value, fails }: Segment, among: readonly Segment[]): boolean =>
  dimension.startsWith(ATTRIBUTE) &&
  among.some(
    (other) =>
      other.dimension === dimension.slice(ATTRIBUTE.length) &&
      other.value === value &&
      other.fails.of === fails.of &&
      other.fails.count === fails.count,
  );

const columns: readonly Column<Segment>[] = [
  {
    ...{ id: 'dimension', head: texts.columns.dimension, width: 160, phone: 'name' },
    cell: ({ dimension }) => (
      <span className="second" title={dimension}>
        {dimensionName(dimension)}
      </span>
    ),
  },
  {
    ...{ id: 'value', head: texts.columns.value, phone: 'detail' },
    cell: ({ value }) => <span className="strong">{valueText(value)}</span>,
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

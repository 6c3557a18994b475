import { useMemo, useState } from 'react';
import type { Output } from '../../data/client.ts';
import { MAINTENANCE_TYPES } from '../../data/events.ts';
import { dayAndTime } from '../../texts/format.ts';
import { overview } from '../../texts/overview.ts';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { ChartOrTable, type ChartSeries, Legend, TableToggle } from '../../ui/time-chart.tsx';
import { highestOf, placesOf } from './chart-places.ts';
import type { Overview } from './overview-data.ts';
import type { Range, TimeSpan } from './ranges.ts';

const texts = overview.activity;

type SeriesPoint = Output<'series.read'>['points'][number];
type Places = readonly (SeriesPoint | undefined)[];

const sum = (point: SeriesPoint | undefined, types: readonly string[]): number =>
  types.reduce((total, type) => total + (point?.counts[type] ?? 0), 0);

/**
 * What is drawn by a colour of its own. The rest is "other", without the service's own maintenance. A read across agents is two
 * events, one of the reader and one of the author, and is counted once.
 */
const KINDS = [
  { id: 'read', types: ['cross_agent_read'], colour: '--s-read', events: 2 },
  { id: 'write', types: ['write', 'delete'], colour: '--s-write', events: 1 },
  { id: 'error', types: ['error'], colour: '--s-llm', events: 1 },
] as const;
const NAMED = [...KINDS.flatMap(({ types }) => types), 'outcome', ...MAINTENANCE_TYPES];

function chartOf({ series, stretch: { starts } }: Overview): ChartSeries[] {
  const byStart = new Map(series.data?.points.map((point) => [Date.parse(point.at), point]));
  const at: Places = starts.map((start) => byStart.get(start));
  const of = (id: keyof typeof texts.series, colour: string, values: number[]): ChartSeries[] =>
    values.some((value) => value > 0) || id === 'read' || id === 'write'
      ? [{ id, label: texts.series[id], colour, values }]
      : [];
  const failed = at.map((point) => point?.failed_outcomes ?? 0);
  return [
    ...of(
      'other',
      '--s-other',
      at.map((point) => (point?.total ?? 0) - sum(point, NAMED)),
    ),
    ...KINDS.flatMap(({ id, types, colour, events }) =>
      of(
        id,
        colour,
        at.map((point) => Math.ceil(sum(point, types) / events)),
      ),
    ),
    ...of(
      'outcome',
      '--s-outcome',
      at.map((point) => sum(point, ['outcome']) - (point?.failed_outcomes ?? 0)),
    ),
    ...of('failed', '--s-error', failed),
  ];
}

export function Activity({ data, range }: { data: Overview; range: Range }) {
  const { series, stretch } = data;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the answers change, what holds them is new each time.
  const chart = useMemo(() => series.data && chartOf(data), [series.data, stretch]);
  const [isTable, setTable] = useState(false);
  const actions = chart && (
    <>
      <TableToggle isTable={isTable} onToggle={setTable} />
      <Legend series={chart} />
    </>
  );
  const since = series.data?.complete_since;
  return (
    <Section tour="activity" title={texts.title} note={texts.per[stretch.unit]} actions={actions}>
      <Loaded answer={series} call={{ name: 'series.read', input: { unit: stretch.unit, since: stretch.since } }}>
        {() => <Chart chart={chart ?? []} stretch={stretch} range={range} isTable={isTable} />}
      </Loaded>
      {since && since > stretch.since && <p className="third small">{texts.incomplete(dayAndTime(since))}</p>}
    </Section>
  );
}

type ChartProps = { chart: ChartSeries[]; stretch: TimeSpan; range: Range; isTable: boolean };

function Chart({ chart, stretch, range, isTable }: ChartProps) {
  const totals = stretch.starts.map((_, i) => chart.reduce((total, { values }) => total + (values[i] ?? 0), 0));
  return (
    <ChartOrTable
      isTable={isTable}
      label={texts.label(stretch.unit, overview.lastOf[range], highestOf(totals, stretch))}
      series={chart}
      places={placesOf(stretch, range)}
    />
  );
}

import { useMemo, useState } from 'react';
import type { Output } from '../../data/client.ts';
import { useOperation } from '../../data/query.ts';
import { dayAndTime } from '../../texts/format.ts';
import { overview } from '../../texts/overview.ts';
import { classes } from '../../ui/classes.ts';
import { Section } from '../../ui/section.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { type ChartSeries, ChartTable, Swatch, TableToggle, TimeChart } from '../../ui/time-chart.tsx';
import { highestOf, placesOf } from './chart-places.ts';
import styles from './overview.module.css';
import type { Overview } from './overview-data.ts';
import type { Range, TimeSpan } from './ranges.ts';

const texts = overview.trends;
const REFETCH_MS = 30_000;
/** As the styles keep it free. */
const HEIGHT_PX = 110;

type SeriesPoint = Output<'series.read'>['points'][number];

/** The same agent in two stretches is one agent: only events add up. */
const LINES = [
  { id: 'entries', colour: '--s-write', addsUp: true, of: ({ counts }: SeriesPoint) => counts.write ?? 0 },
  { id: 'agents', colour: '--s-tool', addsUp: false, of: ({ agents }: SeriesPoint) => agents ?? 0 },
  { id: 'outcomes', colour: '--s-outcome', addsUp: true, of: ({ counts }: SeriesPoint) => counts.outcome ?? 0 },
] as const;

type TrendLine = ChartSeries & { note: string };

function linesOf(points: readonly SeriesPoint[], starts: readonly number[]): TrendLine[] {
  const byStart = new Map(points.map((point) => [Date.parse(point.at), point]));
  return LINES.map(({ id, colour, addsUp, of }) => {
    const values = starts.map((start) => {
      const point = byStart.get(start);
      return point ? of(point) : 0;
    });
    const note = addsUp ? texts.total(values.reduce((sum, n) => sum + n, 0)) : texts.most(Math.max(0, ...values));
    return { id, label: texts.lines[id], colour, values, note };
  });
}

type TrendsProps = { stretch: TimeSpan; range: Range };

/** Entries, agents and outcomes over time, each by a line with a scale of its own. */
export function Trends({ data: { stretch, series }, range }: { data: Overview; range: Range }) {
  const { unit, since, starts } = stretch;
  const input = { unit, since, include_agents: true };
  // Where the events could not be counted, Activity says so, and offers to try again.
  const enabled = series.data !== undefined;
  const answer = useOperation('series.read', input, { enabled, isLater: true, refetchMs: REFETCH_MS });
  const { data, error } = answer;
  const lines = useMemo(() => linesOf(data?.points ?? [], starts), [data, starts]);
  const [isTable, setTable] = useState(false);
  const props = { lines, stretch, range };
  const complete = data?.complete_since;
  return (
    <Section
      title={texts.title}
      note={texts.per[unit]}
      className={styles.after}
      actions={<TableToggle isTable={isTable} onToggle={setTable} />}
    >
      {data === undefined && error !== null ? (
        <ErrorState error={error} onRetry={() => void answer.refetch()} call={{ name: 'series.read', input }} />
      ) : isTable && data !== undefined ? (
        <TrendTable {...props} />
      ) : (
        <TrendCharts {...props} isThere={data !== undefined} />
      )}
      {complete && complete > since && <p className="third small">{texts.incomplete(dayAndTime(complete))}</p>}
    </Section>
  );
}

type LinesProps = TrendsProps & { lines: readonly TrendLine[] };

const overOf = ({ stretch, range }: TrendsProps): string => texts.over(stretch.unit, overview.lastOf[range]);

function TrendTable({ lines, ...props }: LinesProps) {
  return <ChartTable label={texts.table(overOf(props))} series={lines} places={placesOf(props.stretch, props.range)} />;
}

/** They have their place before their answer is there, so that nothing below them moves under a pointer. */
function TrendCharts({ lines, isThere, ...props }: LinesProps & { isThere: boolean }) {
  const places = placesOf(props.stretch, props.range);
  return (
    <div className={styles.trends}>
      {lines.map(({ note, ...line }) => (
        <figure key={line.id} aria-busy={!isThere}>
          <figcaption className={classes('small', styles.trendHead)}>
            <span>
              <Swatch colour={line.colour} />
              {line.label}
            </span>
            <span className="third">{isThere && note}</span>
          </figcaption>
          <div className={styles.trend}>
            {isThere && (
              <TimeChart
                shape="lines"
                label={texts.label(line.label, overOf(props), highestOf(line.values, props.stretch))}
                series={[line]}
                places={places}
                height={HEIGHT_PX}
              />
            )}
          </div>
        </figure>
      ))}
    </div>
  );
}

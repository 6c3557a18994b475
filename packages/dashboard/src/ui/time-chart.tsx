import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react';
import { number } from '../texts/format.ts';
import { ui } from '../texts/ui.ts';
import { Button } from './button.tsx';
import styles from './chart.module.css';
import { Bars, Lines } from './chart-marks.tsx';
import { labelledPlaces, ticksTo } from './chart-scale.ts';
import { useWidth } from './use-width.ts';

/** `colour` is a token, such as `--s-read`. */
export type ChartSeries = { id: string; label: string; colour: string; values: readonly number[] };

/** `isRound`: a place that may carry a label, such as a full hour. Without any, all may. */
export type ChartPlace = { short: string; long: string; isRound?: boolean };

type ChartShape = 'bars' | 'lines';

type TimeChartProps = {
  /** What it shows, as a sentence with its highest point. */
  label: string;
  series: readonly ChartSeries[];
  /** The name of each place on the axis, and a longer one for its details. */
  places: readonly ChartPlace[];
  height?: number;
  /** Bars stand one on the other; lines have a common foot. */
  shape?: ChartShape;
};

const AXIS_PX = 34;
const FOOT_PX = 22;
const TOP_PX = 10;
const LABEL_PX = 72;

/** Stacked bars or lines over time, drawn for the width they have. */
export function TimeChart({ label, series, places, height = 150, shape = 'bars' }: TimeChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [at, setAt] = useState<number>();
  const highest = useMemo(() => highestPoint(series, places.length, shape), [places.length, series, shape]);
  const plot = { width: Math.max(0, width - AXIS_PX), bottom: height - FOOT_PX };
  const step = places.length === 0 ? 0 : plot.width / places.length;
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    setAt(step > 0 && x < plot.width ? Math.max(0, Math.min(places.length - 1, Math.floor(x / step))) : undefined);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { key } = event;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (by !== undefined) setAt((now) => Math.max(0, Math.min(places.length - 1, (now ?? places.length) + by)));
    if (key !== 'Escape' || at === undefined) return;
    event.preventDefault();
    setAt(undefined);
  };
  return (
    <div
      ref={box}
      className={styles.chart}
      role="img"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys walk through the bars.
      tabIndex={0}
      onPointerMove={onPointerMove}
      onPointerLeave={() => setAt(undefined)}
      onKeyDown={onKeyDown}
      onBlur={() => setAt(undefined)}
    >
      <svg height={height} viewBox={`0 0 ${Math.max(1, width)} ${height}`} aria-hidden="true">
        {width > 0 && (
          <Plot series={series} highest={highest} plot={plot} step={step} at={at} places={places} shape={shape} />
        )}
      </svg>
      {at !== undefined && (
        <Tip series={series} at={at} title={places[at]?.long ?? ''} left={at * step + step} width={width} />
      )}
    </div>
  );
}

function highestPoint(series: readonly ChartSeries[], count: number, shape: ChartShape): number {
  if (shape === 'lines') return Math.max(0, ...series.flatMap(({ values }) => values));
  const totals = Array.from({ length: count }, (_, i) => series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0));
  return Math.max(0, ...totals);
}

type PlotProps = {
  series: readonly ChartSeries[];
  highest: number;
  plot: { width: number; bottom: number };
  step: number;
  at: number | undefined;
  places: TimeChartProps['places'];
  shape: ChartShape;
};

function Plot({ series, highest, plot: { width, bottom }, step, at, places, shape }: PlotProps) {
  const ticks = ticksTo(highest);
  const top = ticks.at(-1) ?? 1;
  const y = (value: number) => bottom - (value / top) * (bottom - TOP_PX);
  const labels = labelledPlaces(places, width, LABEL_PX);
  const marks = { series, count: places.length, step, y };
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <path className={styles.grid} d={`M0 ${Math.round(y(tick)) + 0.5}H${width}`} />
          <text x={width + 8} y={y(tick) + 4}>
            {number(tick)}
          </text>
        </g>
      ))}
      {at !== undefined && (
        <rect className={styles.cursor} x={at * step} y={TOP_PX} width={step} height={bottom - TOP_PX} />
      )}
      {shape === 'lines' ? <Lines {...marks} at={at} /> : <Bars {...marks} />}
      <path className={styles.axis} d={`M0 ${bottom + 0.5}H${width}`} />
      {labels.map((i) => (
        <text key={i} y={bottom + 16} {...labelAt(i * step + step / 2, width)}>
          {places[i]?.short}
        </text>
      ))}
    </>
  );
}

const HALF_LABEL_PX = 24;

/** Below the middle of its bar; at the ends of the axis within it. */
function labelAt(middle: number, width: number) {
  if (middle < HALF_LABEL_PX) return { x: 0, textAnchor: 'start' as const };
  if (middle > width - HALF_LABEL_PX) return { x: width, textAnchor: 'end' as const };
  return { x: middle, textAnchor: 'middle' as const };
}

type TipProps = { series: readonly ChartSeries[]; at: number; title: string; left: number; width: number };

function Tip({ series, at, title, left, width }: TipProps) {
  const place = left > width / 2 ? { right: width - left + 16 } : { left: left + 8 };
  return (
    <div className={styles.tip} style={place}>
      <div className="strong">{title}</div>
      {series.map(({ id, label, colour, values }) => (
        <div key={id} className={styles.tipRow}>
          <span>
            <Swatch colour={colour} />
            {label}
          </span>
          <span>{number(values[at] ?? 0)}</span>
        </div>
      ))}
    </div>
  );
}

export const Swatch = ({ colour }: { colour: string }) => (
  <span className={styles.swatch} style={{ background: `var(${colour})` }} />
);

export function Legend({ series }: { series: readonly ChartSeries[] }) {
  return (
    <ul className={styles.legend}>
      {series.map(({ id, label, colour, values }) => (
        <li key={id}>
          <Swatch colour={colour} />
          {label} {number(values.reduce((sum, value) => sum + value, 0))}
        </li>
      ))}
    </ul>
  );
}

/** Every chart has its data as a table one key away: this button goes beside its legend. */
export function TableToggle({ isTable, onToggle }: { isTable: boolean; onToggle: (isTable: boolean) => void }) {
  return (
    <Button kind="chipButton" onClick={() => onToggle(!isTable)}>
      {isTable ? ui.showChart : ui.showTable}
    </Button>
  );
}

export function ChartOrTable({ isTable, ...props }: TimeChartProps & { isTable: boolean }) {
  return isTable ? <ChartTable {...props} /> : <TimeChart {...props} />;
}

export function ChartTable({ label, series, places }: TimeChartProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with keys.
    <section className={styles.scroll} tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            <td />
            {series.map(({ id, label: name }) => (
              <th key={id} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {places.map(({ long }, i) => (
            <tr key={long}>
              <th scope="row">{long}</th>
              {series.map(({ id, values }) => (
                <td key={id}>{number(values[i] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

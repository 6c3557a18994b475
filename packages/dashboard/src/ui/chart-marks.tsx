import styles from './chart.module.css';
import type { ChartSeries } from './time-chart.tsx';

type MarksProps = {
  series: readonly ChartSeries[];
  count: number;
  step: number;
  /** The height of a value. */
  y: (value: number) => number;
};

/** One bar for each place, with the series one on the other. */
export function Bars({ series, count, step, y }: MarksProps) {
  const gap = step > 6 ? 2 : step > 3 ? 1 : 0.5;
  return Array.from({ length: count }, (_, i) => {
    let below = 0;
    return series.map(({ id, colour, values }) => {
      const value = values[i] ?? 0;
      const from = below;
      below += value;
      const height = Math.max(y(from) - y(below), value > 0 ? 1 : 0);
      if (value === 0) return null;
      return (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place.
          key={`${i}-${id}`}
          x={i * step + gap / 2}
          y={y(below)}
          width={Math.max(0.5, step - gap)}
          height={height}
          fill={`var(${colour})`}
        />
      );
    });
  });
}

/** One line for each series, through the middle of each place. */
export function Lines({ series, count, step, y, at }: MarksProps & { at: number | undefined }) {
  const xOf = (i: number) => i * step + step / 2;
  return series.map(({ id, colour, values }) => {
    const points = Array.from({ length: count }, (_, i) => `${xOf(i).toFixed(1)} ${y(values[i] ?? 0).toFixed(1)}`);
    const line = `M${points.join('L')}`;
    return (
      <g key={id}>
        <path
          className={styles.area}
          d={`${line}L${xOf(count - 1)} ${y(0)}L${xOf(0)} ${y(0)}Z`}
          fill={`var(${colour})`}
        />
        <path className={styles.line} d={line} stroke={`var(${colour})`} />
        {at !== undefined && <circle cx={xOf(at)} cy={y(values[at] ?? 0)} r={3} fill={`var(${colour})`} />}
      </g>
    );
  });
}

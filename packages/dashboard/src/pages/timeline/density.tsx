import type { Output } from '../../data/client.ts';
import { dayAndTime } from '../../texts/format.ts';
import { timeline as texts } from '../../texts/timeline.ts';
import { momentOf, type TimeWindow, UNIT_MS } from './time-window.ts';
import styles from './timeline.module.css';

type Series = Output<'series.read'>;

const KINDS: readonly { id: string; colour: string; types: readonly string[] }[] = [
  { id: 'write', colour: '--s-write', types: ['write', 'commit', 'delete'] },
  { id: 'read', colour: '--s-read', types: ['cross_agent_read'] },
  { id: 'outcome', colour: '--s-outcome', types: ['outcome'] },
];
const HEIGHT = 44;

type DensityProps = { series: Series; window: TimeWindow; onPick: (from: number, to: number) => void };

/** How much happened when. A bar leads to its own stretch of time. */
export function Density({ series, window, onPick }: DensityProps) {
  const step = UNIT_MS[window.unit];
  const points = series.points
    .map((point) => ({ ...point, place: Math.round((Date.parse(point.at) - window.from) / step) }))
    .filter(({ place }) => place >= 0 && place < window.count);
  const peak = points.reduce((most, { total }) => Math.max(most, total), 1);
  const total = points.reduce((sum, point) => sum + point.total, 0);
  const label = texts.density(total, peak, [dayAndTime(window.from), dayAndTime(window.to)]);
  return (
    <svg
      className={styles.density}
      height={HEIGHT}
      viewBox={`0 0 ${window.count} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {points.map((point) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the buttons for zoom and time do the same with keys.
        <g
          key={point.at}
          className={styles.bar}
          onClick={() => onPick(Date.parse(point.at), Date.parse(point.at) + step)}
        >
          <title>{texts.barTitle(momentOf(point.at), point.total)}</title>
          <rect x={point.place} y={0} width={1} height={HEIGHT} fill="transparent" />
          {partsOf(point.counts, point.total).map(({ id, colour, from, to }) => (
            <rect
              key={id}
              x={point.place + 0.08}
              width={0.84}
              y={HEIGHT * (1 - to / peak)}
              height={(HEIGHT * (to - from)) / peak}
              fill={`var(${colour})`}
            />
          ))}
        </g>
      ))}
    </svg>
  );
}

function partsOf(counts: Readonly<Record<string, number>>, total: number) {
  let below = 0;
  const parts = KINDS.map(({ id, colour, types }) => {
    const from = below;
    below += types.reduce((sum, type) => sum + (counts[type] ?? 0), 0);
    return { id, colour, from, to: below };
  });
  return [...parts, { id: 'other', colour: '--s-other', from: below, to: total }];
}

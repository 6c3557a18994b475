import { type KeyboardEvent, type MouseEvent, useRef } from 'react';
import { confidence as confidenceText, day, minuteTime } from '../../texts/format.ts';
import { memory } from '../../texts/memory.ts';
import chart from '../../ui/chart.module.css';
import { useWidth } from '../../ui/use-width.ts';
import type { ChartStep } from './entry-data.ts';
import styles from './story.module.css';
import { markedSteps, type StepShape, shapeOf, TICKS } from './story-scale.ts';

const AXIS_PX = 36;
const FOOT_PX = 40;
const TOP_PX = 12;
const HEIGHT_PX = 200;
const START_PX = 14;
/** Marks nearer to each other than this cannot be told apart. */
const LEAST_MARK_PX = 12;
/** So many steps can be seen in a line. */
const MOST_STEPS = 500;
const LABEL_PX = 56;
const DAY_MS = 24 * 60 * 60_000;

type StoryChartProps = {
  label: string;
  steps: readonly ChartStep[];
  selected: number;
  onSelect: (index: number) => void;
};

/** The confidence as a line of its newest steps, with a mark on those that have room for one. */
export function StoryChart({ label, steps, selected, onSelect }: StoryChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    onSelect(Math.max(0, Math.min(steps.length - 1, selected + by)));
  };
  return (
    <div
      ref={box}
      className={`${chart.chart} ${styles.story}`}
      role="img"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys walk through the steps.
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <svg height={HEIGHT_PX} viewBox={`0 0 ${Math.max(1, width)} ${HEIGHT_PX}`} aria-hidden="true">
        {width > AXIS_PX * 2 && <Plot steps={steps} selected={selected} onSelect={onSelect} width={width - AXIS_PX} />}
      </svg>
    </div>
  );
}

type PlotProps = Omit<StoryChartProps, 'label'> & { width: number };

function Plot({ steps, selected, onSelect, width }: PlotProps) {
  const first = Math.max(0, steps.length - MOST_STEPS);
  const drawn = steps.slice(first);
  const bottom = HEIGHT_PX - FOOT_PX;
  const y = (value: number) => TOP_PX + (1 - value) * (bottom - TOP_PX);
  const gap = (width - START_PX * 2) / drawn.length;
  const x = (i: number) => START_PX + i * gap;
  const line = drawn
    .map(({ confidence_after }, i) => `${i === 0 ? `M${x(0)} ` : `H${x(i)}V`}${y(confidence_after)}`)
    .join('');
  const marked = markedSteps(drawn, LEAST_MARK_PX / gap);
  const chosen = drawn[selected - first];
  const onClick = ({ clientX, currentTarget }: MouseEvent<Element>) => {
    const at = Math.round((clientX - currentTarget.getBoundingClientRect().left - START_PX) / gap);
    onSelect(first + Math.max(0, Math.min(drawn.length - 1, at)));
  };
  return (
    <>
      {TICKS.map((tick) => (
        <g key={tick}>
          <path className={chart.grid} d={`M0 ${Math.round(y(tick)) + 0.5}H${width}`} />
          <text x={width + 8} y={y(tick) + 4}>
            {tick.toFixed(1)}
          </text>
        </g>
      ))}
      {marked.map(
        (i) =>
          i > 0 && drawn[i]?.kind === 'written' && <path key={i} className={styles.begin} d={`M${x(i)} 4V${bottom}`} />,
      )}
      <Versions drawn={drawn} x={x} bottom={bottom} width={width} />
      <path className={styles.storyLine} d={`${line}H${width}`} />
      {[...marked.filter((i) => i !== selected - first), selected - first].map((i) => {
        const step = drawn[i];
        return (
          step && <PointMark key={i} step={step} x={x(i)} y={y(step.confidence_after)} isSelected={step === chosen} />
        );
      })}
      {chosen && (
        <Note
          step={chosen}
          at={{ x: x(selected - first), y: y(chosen.confidence_after) }}
          points={drawn.map(({ confidence_after }, i) => ({ x: x(i), y: y(confidence_after) }))}
          width={width}
        />
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys do the same; the list below has all steps. */}
      <rect className={styles.plot} width={width} height={bottom} onClick={onClick} />
    </>
  );
}

type VersionsProps = { drawn: readonly ChartStep[]; x: (i: number) => number; bottom: number; width: number };

/** Below the line: where versions begin, as many as have room. */
function Versions({ drawn, x, bottom, width }: VersionsProps) {
  let free = -LABEL_PX;
  const labels = drawn.flatMap((step, i) => {
    const isFirst = i === 0 || step.version !== drawn[i - 1]?.version;
    if (!isFirst || x(i) < free || x(i) > width - LABEL_PX * 1.5) return [];
    free = x(i) + LABEL_PX;
    return [{ ...step, left: x(i) - 4 }];
  });
  // Within a day, the day says nothing.
  const isOneDay = labels.every(({ at }) => Math.abs(Date.parse(at) - Date.parse(labels[0]?.at ?? at)) < DAY_MS);
  const label = isOneDay ? minuteTime : day;
  return (
    <>
      {labels.map(({ version, at, left }) => (
        <g key={`${version}-${at}`}>
          <text className={styles.versionName} x={left} y={bottom + 20}>
            {memory.story.version(version)}
          </text>
          <text x={left} y={bottom + 36}>
            {label(at)}
          </text>
        </g>
      ))}
      <text x={width} y={bottom + 36} textAnchor="end">
        {memory.story.now}
      </text>
    </>
  );
}

type PointProps = { step: ChartStep; x: number; y: number; isSelected: boolean };

function PointMark({ step, x, y, isSelected }: PointProps) {
  const shape = shapeOf(step);
  return (
    <g transform={`translate(${x} ${y})`}>
      {isSelected && <circle className={styles.pointRing} data-shape={shape} r="9.5" />}
      <StepMark shape={shape} />
    </g>
  );
}

/** The sign of a step, around the middle. */
export function StepMark({ shape }: { shape: StepShape }) {
  if (shape === 'written') return <rect className={styles.square} x="-4" y="-4" width="8" height="8" />;
  if (shape === 'level') return <circle className={styles.level} r="3.5" />;
  return (
    <path
      className={shape === 'up' ? styles.up : styles.down}
      d={shape === 'up' ? 'M-5 4h10l-5 -9z' : 'M-5 -4h10l-5 9z'}
    />
  );
}

type Point = { x: number; y: number };
type NoteProps = { step: ChartStep; at: Point; points: readonly Point[]; width: number };

const NOTE_PX = { width: 104, above: 12, below: 18 };

/** Beside the selected point, where neither the line nor another point is. */
function Note({ step, at, points, width }: NoteProps) {
  const { kind, outcome_type, verdict, confidence_before, confidence_after } = step;
  const name = verdict === null ? memory.story.kinds[kind] : memory.story.verdicts[verdict];
  const shape = shapeOf(step);
  const { x, y, anchor } = placeOfNote(at, points, width);
  const numbers =
    confidence_before === null
      ? confidenceText(confidence_after)
      : `${confidenceText(confidence_before)} → ${confidenceText(confidence_after)}`;
  return (
    <g className={styles.note}>
      <text className={styles.noteName} data-shape={shape} x={x} y={y} textAnchor={anchor}>
        {outcome_type?.replaceAll('_', ' ') ?? name}
      </text>
      <text x={x} y={y + 14} textAnchor={anchor}>
        {numbers}
      </text>
    </g>
  );
}

type NotePlace = Point & { anchor: 'start' | 'end' };

/** The first of some places that is free, or else the first. */
function placeOfNote(at: Point, points: readonly Point[], width: number): NotePlace {
  const places = [0, 22, -34, 40, -52].flatMap((by): NotePlace[] => [
    { x: at.x - 16, y: at.y + by, anchor: 'end' },
    { x: at.x + 16, y: at.y + by, anchor: 'start' },
  ]);
  const isFree = (place: NotePlace) => {
    const left = place.anchor === 'end' ? place.x - NOTE_PX.width : place.x;
    const right = left + NOTE_PX.width;
    const [top, bottom] = [place.y - NOTE_PX.above, place.y + NOTE_PX.below];
    if (left < 0 || right > width || top < 0 || bottom > HEIGHT_PX - FOOT_PX) return false;
    return points.every((point, i) => {
      const next = points[i + 1] ?? { x: width, y: point.y };
      const isCrossed = point.y > top && point.y < bottom && point.x < right && next.x > left;
      const [high, low] = [Math.min(point.y, next.y), Math.max(point.y, next.y)];
      const isCut = next.x > left && next.x < right && high < bottom && low > top;
      return !isCrossed && !isCut;
    });
  };
  return places.find(isFree) ?? (places[0] as NotePlace);
}

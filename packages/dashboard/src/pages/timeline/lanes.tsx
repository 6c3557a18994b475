import { type PointerEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { FeedEvent } from '../../data/events.ts';
import { hrefOf } from '../../router/address.ts';
import { eventNameOf } from '../../texts/events.ts';
import { clockTime, number } from '../../texts/format.ts';
import { timeline as texts } from '../../texts/timeline.ts';
import { Button } from '../../ui/button.tsx';
import { drawLanes } from './draw-lanes.ts';
import { type AgentLane, LANE_PX } from './lane-layout.ts';
import { axisOf, type TimeWindow } from './time-window.ts';
import styles from './timeline.module.css';

const FIRST = 8;
const MOST = 40;
const NEAR_PX = 8;

type LanesProps = {
  lanes: readonly AgentLane[];
  window: TimeWindow;
  events: number;
  selected: number;
  onSelect: (event: FeedEvent) => void;
};

/** What each agent did over time: one lane each. The list has the same events for those who cannot see it. */
export function Lanes({ lanes, window, events, selected, onSelect }: LanesProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = lanes.slice(0, isWhole ? MOST : FIRST);
  const [tip, setTip] = useState('');
  const last = shown.at(-1);
  const height = last ? last.top + last.height : LANE_PX;
  return (
    <section className={styles.lanes} aria-label={texts.lanes}>
      <div className={styles.names} style={{ height }}>
        {shown.map(({ agent, top, lines }) => (
          <div key={agent} className={styles.name} style={{ top }}>
            <a className="cut" href={hrefOf('agents', agent)} title={agent}>
              {agent}
            </a>
            {lines.slice(1).map(({ branch, top: y }) => (
              <a
                key={branch}
                className={styles.branch}
                style={{ top: y - 9 }}
                href={hrefOf('branches', branch)}
                title={branch}
              >
                {branch}
              </a>
            ))}
          </div>
        ))}
      </div>
      <LaneCanvas {...{ lanes: shown, height, window, events, selected, onSelect, onTip: setTip }} />
      <div className={styles.under}>
        {lanes.length > FIRST && (
          <Button kind="quiet" onClick={() => setWhole(!isWhole)}>
            {isWhole ? texts.fewerAgents : texts.moreAgents(lanes.length - FIRST)}
          </Button>
        )}
      </div>
      <Axis window={window} />
      <div className={styles.tip} aria-hidden="true">
        {tip}
      </div>
    </section>
  );
}

export function Axis({ window }: { window: TimeWindow }) {
  return (
    <div className={styles.axis} aria-hidden="true">
      {axisOf(window).map(({ share, label }) => (
        <span key={share} style={{ left: `${share * 100}%` }}>
          {label}
        </span>
      ))}
    </div>
  );
}

type CanvasProps = LanesProps & { height: number; onTip: (tip: string) => void };

function LaneCanvas({ lanes, height, window, events, selected, onSelect, onTip }: CanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useCanvasWidth(canvas);
  const theme = useTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes what the colours are.
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context || width === 0) return;
    const scale = devicePixelRatio;
    element.width = Math.round(width * scale);
    element.height = Math.round(height * scale);
    context.scale(scale, scale);
    const style = getComputedStyle(element);
    const known = new Map<string, string>();
    const colour = (token: string) => {
      const value = known.get(token) ?? style.getPropertyValue(token);
      known.set(token, value);
      return value;
    };
    drawLanes(lanes, { context, width, colour, selected });
  }, [lanes, height, width, selected, theme]);
  const nearest = (event: PointerEvent<HTMLElement>): FeedEvent | undefined => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return nearestOf(lanes, { x: event.clientX - left, y: event.clientY - top, width });
  };
  const onMove = (event: PointerEvent<HTMLElement>) => {
    const found = nearest(event);
    event.currentTarget.style.cursor = found ? 'pointer' : 'default';
    onTip(found ? tipOf(found) : countTip(lanes, event, { window, width }));
  };
  return (
    <canvas
      ref={canvas}
      className={styles.canvas}
      style={{ height }}
      role="img"
      aria-label={texts.lanesLabel(lanes.length, events)}
      onPointerMove={onMove}
      onPointerLeave={() => onTip('')}
      onPointerUp={(event) => {
        const found = nearest(event);
        if (found) onSelect(found);
      }}
    />
  );
}

const tipOf = ({ entity_path, key, ...event }: FeedEvent): string =>
  [
    clockTime(event.created_at),
    event.agent_id,
    eventNameOf(event),
    entity_path === null ? '' : `${entity_path}/${key ?? ''}`,
  ]
    .filter(Boolean)
    .join('  ');

type Drawn = { window: TimeWindow; width: number };

function countTip(lanes: readonly AgentLane[], event: PointerEvent<HTMLElement>, { window, width }: Drawn): string {
  const box = event.currentTarget.getBoundingClientRect();
  const y = event.clientY - box.top;
  const lane = lanes.find(({ top, height }) => y >= top && y < top + height);
  if (!lane?.counts || width === 0) return '';
  const place = Math.floor(((event.clientX - box.left) / width) * lane.counts.length);
  const at = window.from + (place / lane.counts.length) * (window.to - window.from);
  return `${clockTime(at)}  ${lane.agent}  ${number(lane.counts[place] ?? 0)}`;
}

function nearestOf(lanes: readonly AgentLane[], at: { x: number; y: number; width: number }): FeedEvent | undefined {
  let best: FeedEvent | undefined;
  let distance = NEAR_PX;
  for (const lane of lanes)
    for (const line of lane.lines) {
      if (Math.abs(lane.top + line.top - at.y) > NEAR_PX + 2) continue;
      for (const { event, share } of line.marks) {
        const away = Math.abs(share * at.width - at.x);
        if (away > distance) continue;
        best = event;
        distance = away;
      }
    }
  return best;
}

function useCanvasWidth(canvas: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [canvas]);
  return width;
}

const readTheme = () => document.documentElement.dataset.theme ?? '';

/** Changes with the theme, so that what is drawn is drawn again. */
function useTheme(): string {
  const [theme, setTheme] = useState(readTheme);
  useEffect(() => {
    const observer = new MutationObserver(() => setTheme(readTheme()));
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => observer.disconnect();
  }, []);
  return theme;
}

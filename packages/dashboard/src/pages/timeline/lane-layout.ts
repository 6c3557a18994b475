import { type FeedEvent, isFailure } from '../../data/events.ts';
import type { TimeWindow } from './time-window.ts';

export const LANE_PX = 28;
export const BRANCH_PX = 18;

export type LaneMark = { event: FeedEvent /** 0 to 1 within the window. */; share: number };
/** A line of a lane: the branch `main`, or another one with where it forks off and comes back. */
export type LaneLine = {
  branch: string;
  top: number;
  marks: LaneMark[];
  fork: number | undefined;
  merge: number | undefined;
};
export type AgentLane = {
  agent: string;
  top: number;
  height: number;
  lines: LaneLine[];
  /** How many events in each stretch of the window, where there are too many to draw. */
  counts: readonly number[] | undefined;
};

const shareOf = ({ from, to }: TimeWindow, at: string): number => (Date.parse(at) - from) / (to - from);

/** One lane for each agent, the busiest first, with a line for each branch that it worked on. */
export function lanesOf(events: readonly FeedEvent[], window: TimeWindow): AgentLane[] {
  const byAgent = new Map<string, FeedEvent[]>();
  for (const event of events) {
    const own = byAgent.get(event.agent_id);
    if (own) own.push(event);
    else byAgent.set(event.agent_id, [event]);
  }
  const sorted = [...byAgent].sort(([a, own], [b, other]) => other.length - own.length || (a < b ? -1 : 1));
  return placed(sorted.map(([agent, own]) => ({ agent, lines: linesOf(own, window), counts: undefined })));
}

/** Lanes with counts alone. */
export const countedLanes = (agents: readonly { agent: string; counts: readonly number[] }[]): AgentLane[] =>
  placed(agents.map(({ agent, counts }) => ({ agent, lines: [], counts })));

function placed(lanes: readonly Pick<AgentLane, 'agent' | 'lines' | 'counts'>[]): AgentLane[] {
  let top = 0;
  return lanes.map((lane) => {
    const height = LANE_PX + BRANCH_PX * Math.max(0, lane.lines.length - 1);
    const made = { ...lane, top, height };
    top += height;
    return made;
  });
}

function linesOf(events: readonly FeedEvent[], window: TimeWindow): LaneLine[] {
  const lines = new Map<string, LaneLine>();
  const lineOf = (branch: string): LaneLine => {
    const known = lines.get(branch);
    if (known) return known;
    const top = lines.size === 0 ? LANE_PX / 2 : LANE_PX / 2 + BRANCH_PX * lines.size;
    const made: LaneLine = { branch, top, marks: [], fork: undefined, merge: undefined };
    lines.set(branch, made);
    return made;
  };
  lineOf('main');
  for (const event of events) {
    const line = lineOf(event.branch);
    const share = shareOf(window, event.created_at);
    line.marks.push({ event, share });
    if (event.branch === 'main') continue;
    line.fork ??= share;
    if (event.event_type === 'branch_merged') line.merge = share;
  }
  return [...lines.values()];
}

export type MarkShape = 'square' | 'circle' | 'up' | 'down' | 'diamond';

/** The shape says what it is, as well as the colour does. */
export function markOf({ event_type, details }: FeedEvent): { shape: MarkShape; colour: string } {
  if (event_type === 'outcome') {
    const isBad = isFailure(String(details.outcome_type));
    return isBad ? { shape: 'down', colour: '--s-error' } : { shape: 'up', colour: '--s-outcome' };
  }
  if (event_type === 'error') return { shape: 'down', colour: '--s-error' };
  if (event_type === 'write' || event_type === 'commit' || event_type === 'delete')
    return { shape: 'square', colour: '--s-write' };
  if (event_type.startsWith('branch_') || event_type.startsWith('pull_request_'))
    return { shape: 'diamond', colour: '--accent' };
  if (event_type === 'cross_agent_read') return { shape: 'circle', colour: '--s-read' };
  return { shape: 'circle', colour: '--s-other' };
}

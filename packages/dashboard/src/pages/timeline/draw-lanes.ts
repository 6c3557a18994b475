import { type AgentLane, type LaneLine, type MarkShape, markOf } from './lane-layout.ts';

export type Canvas2d = CanvasRenderingContext2D;
type Drawing = { context: Canvas2d; width: number; colour: (token: string) => string; selected: number };

const R = 3.5;

/** Draws lanes into a canvas of this width. Colours are tokens, read when the theme is known. */
export function drawLanes(lanes: readonly AgentLane[], drawing: Drawing): void {
  const most = lanes.reduce((sum, { counts = [] }) => counts.reduce((a, b) => Math.max(a, b), sum), 1);
  for (const lane of lanes) {
    if (lane.counts) drawCounts(lane, most, drawing);
    else for (const line of lane.lines) drawLine(lane, line, drawing);
  }
}

const xOf = (share: number, width: number) => Math.min(width - R, Math.max(R, share * width));

function drawLine(lane: AgentLane, line: LaneLine, { context, width, colour, selected }: Drawing): void {
  const y = lane.top + line.top;
  const main = lane.top + (lane.lines[0]?.top ?? line.top);
  context.lineWidth = 1;
  context.strokeStyle = colour(line.branch === 'main' ? '--line-strong' : '--accent');
  context.beginPath();
  if (line.branch === 'main') {
    context.moveTo(0, y + 0.5);
    context.lineTo(width, y + 0.5);
  } else {
    const from = xOf(line.fork ?? 0, width);
    const to = xOf(line.merge ?? line.marks.at(-1)?.share ?? 1, width);
    context.moveTo(from - 14, main + 0.5);
    context.bezierCurveTo(from - 6, main, from - 10, y, from, y + 0.5);
    context.lineTo(to, y + 0.5);
    if (line.merge !== undefined) context.bezierCurveTo(to + 10, y, to + 6, main, to + 14, main + 0.5);
  }
  context.stroke();
  for (const { event, share } of line.marks) {
    const { shape, colour: token } = markOf(event);
    const x = xOf(share, width);
    context.fillStyle = colour(token);
    drawShape(context, shape, { x, y });
    if (event.seq !== selected) continue;
    context.strokeStyle = colour('--fg');
    context.lineWidth = 1.5;
    context.beginPath();
    context.arc(x, y, R + 3, 0, 2 * Math.PI);
    context.stroke();
  }
}

function drawShape(context: Canvas2d, shape: MarkShape, { x, y }: { x: number; y: number }): void {
  context.beginPath();
  if (shape === 'circle') context.arc(x, y, R - 0.5, 0, 2 * Math.PI);
  else if (shape === 'square') context.rect(x - R + 0.5, y - R + 0.5, 2 * R - 1, 2 * R - 1);
  else {
    const turn = shape === 'down' ? 1 : -1;
    context.moveTo(x - R, shape === 'diamond' ? y : y - turn * R);
    if (shape === 'diamond') context.lineTo(x, y - R);
    context.lineTo(x + R, shape === 'diamond' ? y : y - turn * R);
    context.lineTo(x, y + (shape === 'diamond' ? R : turn * R));
  }
  context.closePath();
  context.fill();
}

/** The same shade is the same number in every lane. */
function drawCounts({ counts = [], top, height }: AgentLane, most: number, { context, width, colour }: Drawing): void {
  const step = width / Math.max(1, counts.length);
  context.fillStyle = colour('--s-write');
  for (const [i, count] of counts.entries()) {
    if (count === 0) continue;
    // The square root: one event among thousands is still seen.
    context.globalAlpha = 0.15 + 0.85 * Math.sqrt(count / most);
    context.fillRect(i * step, top + 6, Math.max(1, step - 1), height - 12);
  }
  context.globalAlpha = 1;
}

// Draws the graph beside the page: thousands of lines take longer than a frame.
import { paint, type Scene } from './paint.ts';
import type { PaintedSheet, PaintTask } from './paint-protocol.ts';

let known: Partial<Pick<Scene, 'model' | 'positions'>> = {};
const paper = new OffscreenCanvas(1, 1);
const context = paper.getContext('2d') as OffscreenCanvasRenderingContext2D;

addEventListener('message', ({ data }: MessageEvent<PaintTask>) => {
  const { ratio, ...task } = data;
  known = { model: task.model ?? known.model, positions: task.positions ?? known.positions };
  const { model, positions } = known;
  if (!model || !positions) return;
  const { size, camera } = task;
  paper.width = Math.max(1, Math.round(size.width * ratio));
  paper.height = Math.max(1, Math.round(size.height * ratio));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  paint(context, { ...task, model, positions });
  const painted: PaintedSheet = { sheet: paper.transferToImageBitmap(), camera };
  postMessage(painted, { transfer: [painted.sheet] });
});

import type { Scene } from './paint.ts';

/** What the page asks of the thread that draws the graph. What has not changed since the last sheet is left out. */
export type PaintTask = Omit<Scene, 'model' | 'positions'> &
  Partial<Pick<Scene, 'model' | 'positions'>> & { ratio: number };

export type PaintedSheet = { sheet: ImageBitmap; camera: Scene['camera'] };

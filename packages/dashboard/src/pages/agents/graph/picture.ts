import type { Camera, ViewSize } from './camera.ts';
import type { Scene } from './paint.ts';
import type { PaintedSheet, PaintTask } from './paint-protocol.ts';

/** The sheet is larger than what is seen by this on each side, so that a move finds something there. */
const MARGIN = 0.25;
const REST_MS = 120;
/** While a move goes beyond the sheet, it is drawn again at most so often. */
const LONG_MOVE_MS = 280;

/**
 * Shows the graph on a canvas. It is drawn sharply on a sheet, beside the page; while the camera moves the sheet is only moved
 * and scaled, which costs the same for 50 nodes as for 5,000, and at rest it is drawn again.
 */
export class Picture {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #worker = new Worker(new URL('./paint-worker.ts', import.meta.url), { type: 'module' });
  #sheet: PaintedSheet | undefined;
  #scene: Scene | undefined;
  /** What the thread knows already. */
  #sent: Partial<Scene> = {};
  #ratio = 1;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #frame: number | undefined;
  #isStale = false;
  #isPainting = false;
  #paintedAt = 0;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    this.#context = canvas.getContext('2d') as CanvasRenderingContext2D;
    this.#worker.onmessage = ({ data }: MessageEvent<PaintedSheet>) => {
      this.#sheet?.sheet.close();
      this.#sheet = data;
      this.#isPainting = false;
      this.#ask();
    };
  }

  /** Something else than the camera changed: all is drawn again. */
  show(scene: Scene): void {
    this.#resize(scene.size);
    this.#scene = scene;
    this.#isStale = true;
    this.#ask();
  }

  /** The camera moved; sharp again once it rests. */
  move(camera: Camera): void {
    if (!this.#scene) return;
    this.#scene = { ...this.#scene, camera };
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      this.#isStale = true;
      this.#ask();
    }, REST_MS);
    this.#ask();
  }

  close(): void {
    clearTimeout(this.#rest);
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#worker.terminate();
    this.#sheet?.sheet.close();
  }

  #ask(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      const now = performance.now();
      const isDue = this.#isStale || (this.#isBeyondSheet() && now - this.#paintedAt > LONG_MOVE_MS);
      // One sheet at a time; when it comes, this is asked again.
      if (isDue && !this.#isPainting) this.#paintSheet(now);
      this.#copySheet();
    });
  }

  #paintSheet(now: number): void {
    const scene = this.#scene;
    if (!scene) return;
    this.#isStale = false;
    this.#isPainting = true;
    this.#paintedAt = now;
    const { model, positions, ...rest } = scene;
    const { width, height } = scene.size;
    const task: PaintTask = {
      ...rest,
      ...(model === this.#sent.model ? {} : { model }),
      ...(positions === this.#sent.positions ? {} : { positions }),
      size: { width: width * (1 + 2 * MARGIN), height: height * (1 + 2 * MARGIN) },
      ratio: this.#ratio,
    };
    this.#sent = { model, positions };
    this.#worker.postMessage(task);
  }

  #copySheet(): void {
    if (!this.#sheet || !this.#scene) return;
    const { sheet, camera: from } = this.#sheet;
    const { camera, size } = this.#scene;
    const zoom = camera.scale / from.scale;
    const ratio = this.#ratio;
    const x = size.width / 2 + (from.x - camera.x) * camera.scale - ((sheet.width / ratio) * zoom) / 2;
    const y = size.height / 2 + (from.y - camera.y) * camera.scale - ((sheet.height / ratio) * zoom) / 2;
    this.#context.setTransform(1, 0, 0, 1, 0, 0);
    this.#context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    this.#context.setTransform(zoom, 0, 0, zoom, Math.round(x * ratio), Math.round(y * ratio));
    this.#context.drawImage(sheet, 0, 0);
  }

  #isBeyondSheet(): boolean {
    const from = this.#sheet?.camera;
    if (!from || !this.#scene) return false;
    const { camera, size } = this.#scene;
    const moved = (a: number, b: number) => Math.abs(a - b) * camera.scale;
    return (
      moved(camera.x, from.x) > size.width * MARGIN ||
      moved(camera.y, from.y) > size.height * MARGIN ||
      camera.scale < from.scale / 1.5
    );
  }

  #resize({ width, height }: ViewSize): void {
    this.#ratio = Math.min(2, devicePixelRatio || 1);
    const [w, h] = [Math.round(width * this.#ratio), Math.round(height * this.#ratio)];
    if (this.#canvas.width === w && this.#canvas.height === h) return;
    this.#canvas.width = w;
    this.#canvas.height = h;
  }
}

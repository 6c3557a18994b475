/** What of the graph is seen: the point in the middle, and how large. */
export type Camera = { x: number; y: number; scale: number };
export type ViewSize = { width: number; height: number };

const MIN_SCALE = 0.02;
const MAX_SCALE = 4;
const LARGEST_FIT = 1.6;
const PADDING_PX = 56;

export type MapView = { camera: Camera; size: ViewSize };
export type MapPoint = { x: number; y: number };

export const toScreen = ({ camera, size }: MapView, { x, y }: MapPoint): MapPoint => ({
  x: (x - camera.x) * camera.scale + size.width / 2,
  y: (y - camera.y) * camera.scale + size.height / 2,
});

export const toWorld = ({ camera, size }: MapView, { x, y }: MapPoint): MapPoint => ({
  x: (x - size.width / 2) / camera.scale + camera.x,
  y: (y - size.height / 2) / camera.scale + camera.y,
});

export const pointOf = (positions: Float32Array, node: number): MapPoint => ({
  x: positions[node * 2] as number,
  y: positions[node * 2 + 1] as number,
});

/** All of it, with room at the edges. */
export function fitted(positions: Float32Array, { width, height }: ViewSize): Camera {
  if (positions.length === 0 || width === 0) return { x: 0, y: 0, scale: 1 };
  let left = Infinity;
  let right = -Infinity;
  let top = Infinity;
  let bottom = -Infinity;
  for (let i = 0; i < positions.length; i += 2) {
    const x = positions[i] as number;
    const y = positions[i + 1] as number;
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  const padding = Math.min(PADDING_PX, width / 8);
  const scale = Math.min(
    (width - 2 * padding) / Math.max(1, right - left),
    (height - 2 * padding) / Math.max(1, bottom - top),
    LARGEST_FIT,
  );
  return { x: (left + right) / 2, y: (top + bottom) / 2, scale: Math.max(MIN_SCALE, scale) };
}

/** Larger or smaller, with what is under the pointer staying there. */
export function zoomed({ camera, size }: MapView, by: number, at?: MapPoint): Camera {
  const scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, camera.scale * by));
  if (!at) return { ...camera, scale };
  const before = toWorld({ camera, size }, at);
  const after = toWorld({ camera: { ...camera, scale }, size }, at);
  return { x: camera.x + before.x - after.x, y: camera.y + before.y - after.y, scale };
}

export const panned = (camera: Camera, dx: number, dy: number): Camera => ({
  ...camera,
  x: camera.x - dx / camera.scale,
  y: camera.y - dy / camera.scale,
});

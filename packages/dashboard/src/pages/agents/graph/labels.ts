import { withMarks } from '../../../shown-text/direction.ts';
import type { MapNode } from './model.ts';
import type { Scene } from './paint.ts';

const MOST = 120;
const MOST_LOOKED_AT = 600;
const MAX_CHARACTERS = 34;
const LINE_PX = 14;
/** From here on there is room for the names of paths, and then for those of outcomes. */
const PATHS_FROM = 0.55;
const OUTCOMES_FROM = 1.9;

type Labels = {
  scene: Scene;
  places: Float32Array;
  shown: readonly number[];
  radiusOf: (node: number) => number;
};

type Box = { left: number; top: number; right: number; bottom: number };

/** Names, the most important first, as long as none covers another. */
export function paintLabels(
  context: OffscreenCanvasRenderingContext2D,
  { scene, places, shown, radiusOf }: Labels,
): void {
  const { model, colours, selected, lit } = scene;
  const taken: Box[] = [];
  const ranked = shown
    .filter((node) => isNamed(model.nodes[node] as MapNode, node, scene))
    .sort((a, b) => rankOf(scene, b) - rankOf(scene, a))
    .slice(0, MOST_LOOKED_AT);
  context.textAlign = 'center';
  context.textBaseline = 'top';
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = colours.background;
  let drawn = 0;
  for (const index of ranked) {
    if (drawn === MOST) break;
    const node = model.nodes[index] as MapNode;
    const text = shortened(withMarks(node.name));
    const x = places[index * 2] as number;
    const y = (places[index * 2 + 1] as number) + radiusOf(index) + 4;
    context.font = index === selected ? colours.fontStrong : node.kind === 'agent' ? colours.fontAgent : colours.font;
    const half = context.measureText(text).width / 2 + 2;
    const box = { left: x - half, right: x + half, top: y, bottom: y + LINE_PX };
    if (index !== selected && taken.some((other) => overlaps(other, box))) continue;
    taken.push(box);
    drawn++;
    const isLit = lit === undefined || lit.has(index);
    context.globalAlpha = isLit ? 1 : 0.55;
    context.fillStyle = index === selected || (node.kind === 'agent' && isLit) ? colours.text : colours.second;
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
  }
  context.globalAlpha = 1;
}

function isNamed({ kind }: MapNode, index: number, { lit, selected, camera }: Scene): boolean {
  if (index === selected || kind === 'agent') return true;
  const isLit = lit?.has(index) === true;
  if (kind === 'entity') return isLit || camera.scale >= PATHS_FROM;
  return camera.scale >= OUTCOMES_FROM;
}

function rankOf({ model, selected, lit }: Scene, index: number): number {
  const { kind, weight } = model.nodes[index] as MapNode;
  const first = index === selected ? 1e12 : lit?.has(index) ? 1e9 : 0;
  return first + (kind === 'agent' ? 1e6 : kind === 'entity' ? 1e3 : 0) + weight;
}

const overlaps = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** The end of a path says more than its beginning. */
const shortened = (name: string): string =>
  name.length <= MAX_CHARACTERS ? name : `…${name.slice(1 - MAX_CHARACTERS)}`;

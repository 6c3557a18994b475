import { type Camera, type MapPoint, pointOf, toScreen, type ViewSize } from './camera.ts';
import type { MapColours } from './colours.ts';
import { paintLabels } from './labels.ts';
import type { MapEdge, MapModel, MapNode } from './model.ts';

/** Everything that a picture of the graph is made from. */
export type Scene = {
  model: MapModel;
  positions: Float32Array;
  camera: Camera;
  size: ViewSize;
  /** What is not dimmed: the selection with what it is connected with, or what a filter found. */
  lit: ReadonlySet<number> | undefined;
  selected: number | undefined;
  colours: MapColours;
};

type Sketch = { context: OffscreenCanvasRenderingContext2D; scene: Scene /** On the screen. */; places: Float32Array };

const DIM = 0.3;
/** Below this all shapes look the same, and squares are quickest. */
const TINY_PX = 2;
const MANY_EDGES = 2000;
const SMALLEST = 0.34;
const LARGEST = 1.5;

export const radiusPx = (node: MapNode, { scale }: Camera): number =>
  Math.max(1, node.radius * Math.min(LARGEST, Math.max(SMALLEST, scale)));

/** Draws edges, shapes and labels; what is outside of the picture is left out. */
export function paint(context: OffscreenCanvasRenderingContext2D, scene: Scene): void {
  const { size, model, lit } = scene;
  context.clearRect(0, 0, size.width, size.height);
  const places = placesOf(scene);
  const sketch = { context, scene, places };
  paintEdges(sketch);
  const shown = visibleOf(scene, places);
  const isLit = (node: number) => lit === undefined || lit.has(node);
  context.globalAlpha = DIM;
  if (lit)
    paintNodes(
      sketch,
      shown.filter((node) => !isLit(node)),
    );
  context.globalAlpha = 1;
  paintNodes(sketch, shown.filter(isLit));
  if (scene.selected !== undefined) paintSelected(sketch, scene.selected);
  paintLabels(context, {
    scene,
    places,
    shown,
    radiusOf: (node) => radiusPx(model.nodes[node] as MapNode, scene.camera),
  });
}

/** Of all nodes on the screen, x and y. */
function placesOf({ positions, camera, size }: Scene): Float32Array {
  const places = new Float32Array(positions.length);
  const left = size.width / 2 - camera.x * camera.scale;
  const top = size.height / 2 - camera.y * camera.scale;
  for (let i = 0; i < positions.length; i += 2) {
    places[i] = (positions[i] as number) * camera.scale + left;
    places[i + 1] = (positions[i + 1] as number) * camera.scale + top;
  }
  return places;
}

const EDGE_PX = 16;

function visibleOf({ size }: Scene, places: Float32Array): number[] {
  const visible: number[] = [];
  for (let node = 0; node * 2 < places.length; node++) {
    const x = places[node * 2] as number;
    const y = places[node * 2 + 1] as number;
    if (x > -EDGE_PX && y > -EDGE_PX && x < size.width + EDGE_PX && y < size.height + EDGE_PX) visible.push(node);
  }
  return visible;
}

type EdgeStyle = { colour: string; width: number; alpha: number };

/** Edges of one look are one path: strokes are what takes time. */
function paintEdges({ context, scene, places }: Sketch): void {
  const paths = new Map<string, { style: EdgeStyle; path: Path2D }>();
  for (const edge of scene.model.edges) {
    if (isHidden(edge, scene) || isOutside(edge, places, scene.size)) continue;
    const style = styleOf(edge, scene);
    const name = `${style.colour} ${style.width} ${style.alpha}`;
    let found = paths.get(name);
    if (!found) {
      found = { style, path: new Path2D() };
      paths.set(name, found);
    }
    found.path.moveTo(places[edge.source * 2] as number, places[edge.source * 2 + 1] as number);
    found.path.lineTo(places[edge.target * 2] as number, places[edge.target * 2 + 1] as number);
  }
  const inOrder = [...paths.values()].sort((a, b) => a.style.alpha - b.style.alpha);
  for (const { style, path } of inOrder) {
    context.strokeStyle = style.colour;
    context.lineWidth = style.width;
    context.globalAlpha = style.alpha;
    context.stroke(path);
  }
  context.globalAlpha = 1;
}

const isHidden = ({ isQuiet, source, target }: MapEdge, { selected }: Scene): boolean =>
  isQuiet && source !== selected && target !== selected;

function isOutside({ source, target }: MapEdge, places: Float32Array, { width, height }: ViewSize): boolean {
  const [x1, y1] = [places[source * 2] as number, places[source * 2 + 1] as number];
  const [x2, y2] = [places[target * 2] as number, places[target * 2 + 1] as number];
  return (x1 < 0 && x2 < 0) || (y1 < 0 && y2 < 0) || (x1 > width && x2 > width) || (y1 > height && y2 > height);
}

function styleOf({ relation, weight, source, target }: MapEdge, scene: Scene): EdgeStyle {
  const { model, colours, selected, lit, camera } = scene;
  const thick = weight >= 50 ? 2.4 : weight >= 10 ? 1.7 : 1;
  const width = camera.scale < 0.3 ? Math.min(1, thick / 2) : thick;
  if (selected !== undefined && (source === selected || target === selected)) {
    const colour = relation === 'read' ? colours.read : relation === 'wrote' ? colours.wrote : colours.third;
    return { colour, width: Math.max(1, thick), alpha: 1 };
  }
  // Many lines over each other would be one grey area.
  const alpha = model.edges.length > MANY_EDGES ? 0.25 : 1;
  return { colour: colours.line, width, alpha: lit ? alpha * 0.45 : alpha };
}

function paintNodes({ context, scene, places }: Sketch, nodes: readonly number[]): void {
  const { model, camera, colours } = scene;
  const filled = new Map<string, Path2D>();
  const pathOf = (colour: string) => {
    let path = filled.get(colour);
    if (!path) {
      path = new Path2D();
      filled.set(colour, path);
    }
    return path;
  };
  const squares = new Path2D();
  for (const index of nodes) {
    const node = model.nodes[index] as MapNode;
    const { x, y } = pointOf(places, index);
    const r = radiusPx(node, camera);
    if (node.kind === 'entity' && r >= TINY_PX) squares.roundRect(x - r, y - r, r * 2, r * 2, Math.min(2, r / 2));
    else addShape(pathOf(colourOf(node, colours)), node.kind, { x, y, r });
  }
  for (const [colour, path] of filled) {
    context.fillStyle = colour;
    context.fill(path);
  }
  context.fillStyle = colours.background;
  context.fill(squares);
  context.strokeStyle = colours.second;
  context.lineWidth = camera.scale < 0.5 ? 1 : 1.5;
  context.stroke(squares);
}

function colourOf({ kind, tone }: MapNode, colours: MapColours): string {
  if (kind !== 'outcome') return colours.second;
  return tone === 'mute' ? colours.third : colours[tone];
}

/** A circle is an agent, a square a path, a diamond an outcome. */
function addShape(path: Path2D, kind: MapNode['kind'], { x, y, r }: MapPoint & { r: number }): void {
  if (r < TINY_PX) path.rect(x - r, y - r, r * 2, r * 2);
  else if (kind === 'agent') {
    path.moveTo(x + r, y);
    path.arc(x, y, r, 0, Math.PI * 2);
  } else if (kind === 'outcome') {
    path.moveTo(x, y - r);
    path.lineTo(x + r, y);
    path.lineTo(x, y + r);
    path.lineTo(x - r, y);
    path.closePath();
  } else path.rect(x - r, y - r, r * 2, r * 2);
}

const RING_PX = 3;

function paintSelected({ context, scene, places }: Sketch, selected: number): void {
  const { model, camera, colours } = scene;
  const node = model.nodes[selected];
  if (!node) return;
  const path = new Path2D();
  addShape(path, node.kind, { ...pointOf(places, selected), r: Math.max(6, radiusPx(node, camera)) });
  context.fillStyle = node.kind === 'outcome' ? colourOf(node, colours) : colours.text;
  context.fill(path);
  context.strokeStyle = colours.accent;
  context.lineWidth = RING_PX;
  context.stroke(path);
}

/** The node under a point of the screen, the smallest first where some lie over each other. */
export function nodeAt(
  { model, positions, camera, size }: Pick<Scene, 'model' | 'positions' | 'camera' | 'size'>,
  at: MapPoint,
): number | undefined {
  let best: number | undefined;
  let nearest = Infinity;
  for (const [i, node] of model.nodes.entries()) {
    const { x, y } = toScreen({ camera, size }, pointOf(positions, i));
    const distance = Math.hypot(x - at.x, y - at.y);
    const clickable = Math.max(8, radiusPx(node, camera) + 3);
    if (distance < clickable && distance < nearest) {
      best = i;
      nearest = distance;
    }
  }
  return best;
}

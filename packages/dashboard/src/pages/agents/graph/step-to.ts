import type { MapModel } from './model.ts';

const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

export const isStep = (key: string): boolean => Object.hasOwn(DIRECTIONS, key);

/** The node that an arrow key leads to: near, and rather ahead than aside. From nothing it leads to the heaviest. */
export function stepTo(
  { model, positions, from }: { model: MapModel; positions: Float32Array; from: number | undefined },
  key: string,
): number | undefined {
  const direction = DIRECTIONS[key];
  if (!direction) return undefined;
  if (from === undefined) return heaviest(model);
  const [dx, dy] = direction;
  const x = positions[from * 2] as number;
  const y = positions[from * 2 + 1] as number;
  let best: number | undefined;
  let least = Infinity;
  for (let node = 0; node < model.nodes.length; node++) {
    const [ox, oy] = [(positions[node * 2] as number) - x, (positions[node * 2 + 1] as number) - y];
    const ahead = ox * dx + oy * dy;
    const aside = Math.abs(ox * dy) + Math.abs(oy * dx);
    if (node === from || ahead <= 0 || aside > ahead * 2) continue;
    const cost = ahead + aside * 2;
    if (cost < least) {
      least = cost;
      best = node;
    }
  }
  return best;
}

function heaviest({ nodes }: MapModel): number | undefined {
  let best: number | undefined;
  for (const [i, { kind, weight }] of nodes.entries())
    if (kind === 'agent' && (best === undefined || weight > (nodes[best]?.weight ?? 0))) best = i;
  return best ?? (nodes.length > 0 ? 0 : undefined);
}

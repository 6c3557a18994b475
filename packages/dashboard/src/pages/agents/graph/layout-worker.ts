// Lays the graph out beside the page, a few steps at a time, so that a newer task is taken up at once.
import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type Simulation,
  type SimulationNodeDatum,
} from 'd3-force';
import type { LayoutStep, LayoutTask } from './layout-protocol.ts';

type MapBody = SimulationNodeDatum & { kind: number; radius: number };

const OUTCOME = 2;
const SLICE_MS = 40;
/** Above this, steps are dear: fewer of them, and the page hears of them less often. */
const MANY = 1500;
const VERY_MANY = 3000;
const NEW_ONLY_STEPS = 60;

let latest = 0;

addEventListener('message', ({ data }: MessageEvent<LayoutTask>) => {
  latest = data.run;
  layOut(data);
});

function layOut({ run, ends, quiet, kinds, radii, start }: LayoutTask): void {
  const count = kinds.length;
  let known = 0;
  const bodies: MapBody[] = Array.from(kinds, (kind, i) => {
    const x = start[i * 2] as number;
    const y = start[i * 2 + 1] as number;
    const body: MapBody = { kind, radius: radii[i] as number };
    if (Number.isNaN(x)) return body;
    known++;
    // What was there stays where a person saw it.
    return { ...body, x, y, fx: x, fy: y };
  });
  const total = known > count / 2 ? NEW_ONLY_STEPS : stepsFor(count);
  const simulation = simulationOf(bodies, ends, quiet).alphaDecay(1 - 0.001 ** (1 / total));
  if (known === count) {
    report({ run, positions: positionsOf(bodies), done: total, total });
    return;
  }
  const reportEvery = count > MANY ? 400 : 80;
  let done = 0;
  let reportedAt = performance.now();
  const slice = () => {
    if (run !== latest) return;
    const began = performance.now();
    while (done < total && performance.now() - began < SLICE_MS) {
      simulation.tick();
      done++;
    }
    if (done === total || performance.now() - reportedAt > reportEvery) {
      reportedAt = performance.now();
      report({ run, positions: positionsOf(bodies), done, total });
    }
    if (done < total) setTimeout(slice, 0);
  };
  slice();
}

const stepsFor = (count: number): number => (count > VERY_MANY ? 90 : count > MANY ? 140 : 300);

function simulationOf(bodies: MapBody[], ends: Uint32Array, quiet: Uint8Array): Simulation<MapBody, undefined> {
  const links = Array.from(quiet, (isQuiet, i) => ({
    isQuiet,
    source: ends[i * 2] as number,
    target: ends[i * 2 + 1] as number,
  })).filter(({ isQuiet }) => isQuiet === 0);
  const isSatellite = ({ source, target }: { source: unknown; target: unknown }) =>
    (source as MapBody).kind === OUTCOME || (target as MapBody).kind === OUTCOME;
  const isMany = bodies.length > MANY;
  const simulation = forceSimulation(bodies)
    .force(
      'link',
      forceLink(links).distance((link) => (isSatellite(link) ? 30 : 96)),
    )
    .force(
      'charge',
      forceManyBody<MapBody>()
        .strength(({ kind }) => (kind === 0 ? -320 : kind === OUTCOME ? -36 : -140))
        .theta(isMany ? 1 : 0.9),
    )
    .force('x', forceX(0).strength(0.045))
    .force('y', forceY(0).strength(0.06))
    .stop();
  // Room for labels; dear where there are many, and those have none.
  if (!isMany)
    simulation.force(
      'room',
      forceCollide<MapBody>(({ radius, kind }) => radius + (kind === OUTCOME ? 2 : 14)),
    );
  return simulation;
}

function positionsOf(bodies: readonly MapBody[]): Float32Array {
  const positions = new Float32Array(bodies.length * 2);
  for (const [i, { x = 0, y = 0 }] of bodies.entries()) {
    positions[i * 2] = x;
    positions[i * 2 + 1] = y;
  }
  return positions;
}

const report = (step: LayoutStep): void => postMessage(step, { transfer: [step.positions.buffer] });

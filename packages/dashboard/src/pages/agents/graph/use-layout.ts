import { useEffect, useRef, useState } from 'react';
import type { LayoutStep, LayoutTask } from './layout-protocol.ts';
import type { MapKind, MapModel } from './model.ts';

const KINDS: Record<MapKind, number> = { agent: 0, entity: 1, outcome: 2 };

export type Layout = { model: MapModel; positions: Float32Array; done: number; total: number };

/** Where each node is. What was shown before keeps its place; new things are put around it. */
export function useLayout(model: MapModel | undefined): Layout | undefined {
  const [layout, setLayout] = useState<Layout>();
  const places = useRef(new Map<string, readonly [number, number]>());
  const worker = useRef<Worker>(undefined);
  const run = useRef(0);
  useEffect(() => {
    worker.current = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' });
    return () => worker.current?.terminate();
  }, []);
  useEffect(() => {
    if (!model || !worker.current) return;
    const task = taskOf(model, ++run.current, places.current);
    worker.current.onmessage = ({ data }: MessageEvent<LayoutStep>) => {
      if (data.run !== task.run) return;
      const { positions, done, total } = data;
      if (done === total)
        for (const [i, { id }] of model.nodes.entries())
          places.current.set(id, [positions[i * 2] as number, positions[i * 2 + 1] as number]);
      setLayout({ model, positions, done, total });
    };
    worker.current.postMessage(task);
  }, [model]);
  return layout;
}

function taskOf(model: MapModel, run: number, places: ReadonlyMap<string, readonly [number, number]>): LayoutTask {
  const { nodes, edges } = model;
  const start = new Float32Array(nodes.length * 2).fill(Number.NaN);
  for (const [i, { id }] of nodes.entries()) {
    const place = places.get(id);
    if (place) start.set(place, i * 2);
  }
  return {
    run,
    ends: Uint32Array.from(edges.flatMap(({ source, target }) => [source, target])),
    quiet: Uint8Array.from(edges, ({ isQuiet }) => (isQuiet ? 1 : 0)),
    kinds: Uint8Array.from(nodes, ({ kind }) => KINDS[kind]),
    radii: Float32Array.from(nodes, ({ radius }) => radius),
    start,
  };
}

/** What the page asks of the thread that lays the graph out. */
export type LayoutTask = {
  run: number;
  /** Two places of nodes for each edge. */
  ends: Uint32Array;
  /** By edge, 1 where it has no say in the layout. */
  quiet: Uint8Array;
  /** By node: 0 agent, 1 path, 2 outcome. */
  kinds: Uint8Array;
  radii: Float32Array;
  /** x and y of each node where it is known already; NaN where it is new. */
  start: Float32Array;
};

/** How far it is. The last one has `done` equal to `total`. */
export type LayoutStep = { run: number; positions: Float32Array; done: number; total: number };

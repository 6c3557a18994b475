import { CLUSTERS } from './clusters.ts';
import { HEAD_BYTES, nearestRecords, RECORD_BYTES } from './code-records.ts';

/** The records of each cluster: its number is in the first bits. */
export function recordsByCluster(records: Uint8Array): Uint8Array[] {
  const count = Math.floor(records.length / RECORD_BYTES);
  const clusterAt = (at: number): number => (records[at * RECORD_BYTES + HEAD_BYTES] as number) % CLUSTERS;
  const sizes = new Array<number>(CLUSTERS).fill(0);
  for (let at = 0; at < count; at++) sizes[clusterAt(at)] = (sizes[clusterAt(at)] as number) + 1;
  const clusters = sizes.map((size) => new Uint8Array(size * RECORD_BYTES));
  const ends = new Array<number>(CLUSTERS).fill(0);
  for (let at = 0; at < count; at++) {
    const cluster = clusterAt(at);
    const from = at * RECORD_BYTES;
    clusters[cluster]?.set(records.subarray(from, from + RECORD_BYTES), ends[cluster]);
    ends[cluster] = (ends[cluster] as number) + RECORD_BYTES;
  }
  return clusters;
}

/** The entries of some clusters whose bits differ least, nearest of each cluster first. */
export function nearestIn(
  clusters: readonly Uint8Array[],
  { probed, bits, most }: { probed: readonly number[]; bits: Uint8Array; most: number },
): number[] {
  const found = probed.flatMap((cluster) => nearestRecords(clusters[cluster] ?? new Uint8Array(), bits, most));
  return [...new Set(found)];
}

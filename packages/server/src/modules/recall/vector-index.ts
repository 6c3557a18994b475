import { PACKED_HEAD_BYTES } from '@mem-service/embedder';
import type { Row, Sql } from '../../db/index.ts';
import type { Work } from '../../kernel/index.ts';
import * as queries from './queries.ts';
import { recordBytes, recordOf, removeRecords } from './rules/code-records.ts';
import { sumsOf, type VectorSums } from './vector-sums.ts';

/** Vectors of so many numbers of entries in a row are in the same blocks, one for each cluster. */
const BLOCK_ENTRIES = 2 ** 14;

/** Vectors that are taken out of the index at once. */
const REMOVED_AT_ONCE = 500;

export type IndexChange = {
  removed: readonly queries.IndexedVector[];
  added: readonly queries.IndexedVector[];
};

/** Deletes vectors, and takes them out of the index. */
export async function removeVectors(work: Work, of: { ids: Sql; embedder?: number }): Promise<void> {
  const { tx, account_id } = work;
  let after: queries.IndexedVector | undefined;
  for (let found = REMOVED_AT_ONCE; found === REMOVED_AT_ONCE; ) {
    const removed = await queries.listIndexed(tx, account_id, { ...of, after, most: REMOVED_AT_ONCE });
    await changeIndex(work, { removed, added: [] });
    after = removed.at(-1) ?? after;
    found = removed.length;
  }
  if (after) await queries.deleteVectors(tx, account_id, of);
}

/** Brings the index in line with a change of the stored vectors, in the same transaction. */
export async function changeIndex(work: Work, { removed, added }: IndexChange): Promise<void> {
  if (removed.length + added.length === 0) return;
  const taken = removed.map(unpacked);
  const given = added.map(unpacked);
  await changeBlocks(work, taken, given);
  await changeSums(work, taken, given);
}

type UnpackedVector = queries.IndexedVector & { factor: number; values: Int8Array };

function unpacked(vector: queries.IndexedVector): UnpackedVector {
  const packed = Buffer.from(vector.vector, 'base64');
  const values = new Int8Array(packed.buffer, packed.byteOffset + PACKED_HEAD_BYTES, packed.length - PACKED_HEAD_BYTES);
  // Members after a spread would be slow (decision 058).
  return Object.assign({}, vector, { factor: packed.readFloatLE(0), values });
}

type Changed = { first: UnpackedVector; removed: UnpackedVector[]; added: UnpackedVector[] };

/** Changes by the row that they change. */
function byRow(
  nameOf: (vector: UnpackedVector) => string,
  removed: readonly UnpackedVector[],
  added: readonly UnpackedVector[],
): Changed[] {
  const changes = new Map<string, Changed>();
  const changeOf = (vector: UnpackedVector): Changed => {
    const name = nameOf(vector);
    let known = changes.get(name);
    if (!known) {
      known = { first: vector, removed: [], added: [] };
      changes.set(name, known);
    }
    return known;
  };
  for (const vector of removed) changeOf(vector).removed.push(vector);
  for (const vector of added) changeOf(vector).added.push(vector);
  return [...changes.values()];
}

async function changeBlocks(
  { tx, account_id }: Work,
  removed: readonly UnpackedVector[],
  added: readonly UnpackedVector[],
): Promise<void> {
  const blockOf = ({ entry_id }: UnpackedVector): number => Math.floor(entry_id / BLOCK_ENTRIES);
  const nameOf = (vector: UnpackedVector): string =>
    `${vector.branch}\n${vector.embedder} ${vector.owner} ${vector.cluster} ${blockOf(vector)}`;
  const rowOf = ({ first }: Changed, records: string): Row => {
    const { branch, embedder, owner, cluster } = first;
    return { account_id, branch, embedder, owner, cluster, block: blockOf(first), records };
  };
  const changes = byRow(nameOf, removed, added);
  const growing = changes.filter((change) => change.removed.length === 0);
  await tx.insertMany(
    queries.appendBlocks,
    growing.map((change) => rowOf(change, recordsOf(change.added))),
  );
  const others = changes.filter((change) => change.removed.length > 0);
  const keys = others.map((change) => Object.values(rowOf(change, '')).slice(0, -1));
  const found = await tx.findMany<{ records: string }>(queries.findBlocks, keys);
  const rows = others.map((change, at) => {
    const block = Buffer.from(found[at]?.records ?? '', 'base64');
    const left = removeRecords(block, change.removed, recordBytes(change.first.values.length));
    return rowOf(change, Buffer.from(left).toString('base64') + recordsOf(change.added));
  });
  await tx.insertMany(queries.replaceBlocks, rows);
}

/** Their bits as they are stored, in a text that can be joined with others. */
const recordsOf = (vectors: readonly UnpackedVector[]): string =>
  Buffer.concat(vectors.map((vector) => recordOf(vector, vector.values))).toString('base64');

async function changeSums(
  { tx, account_id }: Work,
  removed: readonly UnpackedVector[],
  added: readonly UnpackedVector[],
): Promise<void> {
  const changes = byRow(({ branch, embedder, owner }) => `${branch}\n${embedder} ${owner}`, removed, added);
  const keys = changes.map(({ first: { branch, embedder, owner } }): Row => ({ account_id, branch, embedder, owner }));
  const found = await tx.findMany<VectorSums>(queries.findSums, keys.map(Object.values));
  const rows = changes.map((change, at) => {
    const known = found[at];
    const sums = new Float64Array(change.first.values.length);
    if (known) sums.set(sumsOf(known));
    for (const vector of change.removed) addTo(sums, vector, -1);
    for (const vector of change.added) addTo(sums, vector, 1);
    const vectors = (known?.vectors ?? 0) - change.removed.length + change.added.length;
    // Sums of nothing are nothing, without the last digits of what was there.
    if (vectors === 0) sums.fill(0);
    return { ...(keys[at] as Row), vectors, sums: Buffer.from(sums.buffer).toString('base64') };
  });
  await tx.insertMany(queries.upsertSums, rows);
}

function addTo(sums: Float64Array, { factor, values }: UnpackedVector, times: number): void {
  for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] as number) + times * factor * (values[at] as number);
}

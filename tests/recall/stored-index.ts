import { expect } from 'vitest';
import { SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';
import { entryIdAt, recordBytes } from '../../packages/server/src/modules/recall/rules/code-records.ts';
import type { TestApp } from '../support/app.ts';

export type VectorFacts = {
  entry_id: number;
  part: number;
  seq: number;
  owner: number;
  cluster: number;
  vector: string;
};
type BlockFacts = { owner: number; cluster: number; records: string };
type SumFacts = { owner: number; vectors: number; sums: string };

/** Rows of an account, through its own reads. */
const rowsOf = <T>(app: TestApp, columns: string, table: string): Promise<T[]> =>
  app.kernel.services.database.forAccount(SELF_HOSTED_ACCOUNT).read.all<T>({
    text: `SELECT ${columns} FROM ${table} WHERE account_id = ?`,
    values: [SELF_HOSTED_ACCOUNT],
  });

export async function vectorsOf(app: TestApp): Promise<VectorFacts[]> {
  const rows = await rowsOf<VectorFacts>(app, 'entry_id, part, seq, owner, cluster, vector', 'entry_vectors');
  return rows.sort((a, b) => a.entry_id - b.entry_id || a.part - b.part);
}

/** The index in bits has each stored vector once, where a search looks for it, and nothing else. */
export async function expectIndexWhole(app: TestApp): Promise<void> {
  const vectors = await vectorsOf(app);
  const named = ({ owner, cluster }: BlockFacts | VectorFacts, entry_id: number, part: number) =>
    `${owner} ${cluster} ${entry_id} ${part}`;
  const size = recordBytes(256);
  const blocks = await rowsOf<BlockFacts>(app, 'owner, cluster, records', 'vector_blocks');
  const indexed = blocks.flatMap((block) => {
    const bytes = Buffer.from(block.records, 'base64');
    expect(bytes.length % size).toBe(0);
    return Array.from({ length: bytes.length / size }, (_, at) =>
      named(block, entryIdAt(bytes, at * size), bytes[at * size + 6] as number),
    );
  });
  expect(indexed.sort()).toEqual(vectors.map((vector) => named(vector, vector.entry_id, vector.part)).sort());
  for (const { owner, vectors: count, sums } of await rowsOf<SumFacts>(app, 'owner, vectors, sums', 'vector_sums')) {
    const own = vectors.filter((vector) => vector.owner === owner);
    expect(count).toBe(own.length);
    const first = own.reduce((sum, { vector }) => {
      const packed = Buffer.from(vector, 'base64');
      return sum + packed.readFloatLE(0) * packed.readInt8(4);
    }, 0);
    expect(Buffer.from(sums, 'base64').readDoubleLE(0)).toBeCloseTo(first, 9);
  }
}

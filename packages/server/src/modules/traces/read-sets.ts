import { type Dialect, type Find, fragment, type Query, sql } from '../../db/index.ts';
import type { TraceHeader } from './shape.ts';

/** An entry that a trace read on the branch of its outcome. */
export type ReadSetEntry = { seq: number; entity_path: string; key: string; version: number };

/** What a trace read, and what its session said of itself. */
export type ReadSet = { seq: number; attributes: Readonly<Record<string, unknown>>; reads: readonly ReadSetEntry[] };

const headers: Find = { table: 'traces', select: 'seq, branch, header', by: { account_id: 'text', seq: 'int' } };

export type AskedReadSets = { account_id: string; seqs: readonly number[]; dialect: Dialect; most: number };

/**
 * The versions that traces read on the branches of their outcomes, without a visibility check. Of those that are gone, or that read
 * more than `most` times, nothing.
 */
export async function findReadSets(
  query: Query,
  { account_id, seqs, dialect, most }: AskedReadSets,
): Promise<Map<number, ReadSet>> {
  const found = await query.findMany<{ seq: number; branch: string; header: string }>(
    headers,
    seqs.map((seq) => [account_id, seq]),
  );
  const heads = found.flatMap((head) => head ?? []);
  const member = (name: string) => fragment(dialect.jsonMember('data', [name], 'text'));
  const sets = new Map<number, ReadSet>();
  for (const { seq, branch, header } of heads) {
    const reads = await query.all<ReadSetEntry>(
      sql`SELECT seq, entity_path, key, CAST(${member('version')} AS BIGINT) AS version FROM trace_items
          WHERE account_id = ${account_id} AND seq = ${seq} AND kind = 'read' AND entity_path IS NOT NULL
            AND entry_id IS NOT NULL AND data IS NOT NULL AND coalesce(${member('branch')}, 'main') = ${branch}
          ORDER BY no LIMIT ${most + 1}`,
    );
    const { attributes } = JSON.parse(header) as TraceHeader;
    if (reads.length <= most) sets.set(seq, { seq, attributes, reads });
  }
  return sets;
}

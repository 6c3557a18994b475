import { emptySql, type Query, type Sql, sql } from '../../db/index.ts';
import type { BranchSpan, EntryView } from '../../kernel/index.ts';
import { pastOf } from './relation-heads.ts';

/** A version that a view may show, without its content. */
export type OverlaidVersion = {
  seq: number;
  entry_id: number;
  version: number;
  deleted: number;
  document_bytes: number;
};

/** `after`: rows of the last branch up to this place in the log are found otherwise. `most` are listed in all. */
export type OverlayPart = { after: number; most: number };

/** Of entries that were written after a fork, as many are looked at for those that were there before it. */
const LOOKED_AT = 20_000;

/**
 * What a view shows beside the newest rows of the last branch of its lineage: what was written on the branches before it, and
 * what that branch had at the fork and has changed since. Versions that a nearer branch hides are among them. Undefined where
 * there are more than `most`.
 */
export async function listOverlaid(
  query: Query,
  view: EntryView,
  { after, most }: OverlayPart,
): Promise<OverlaidVersion[] | undefined> {
  const all: OverlaidVersion[] = [];
  for (const span of view.lineage) {
    const limit = most + 1 - all.length;
    all.push(...(await query.all<OverlaidVersion>(writtenIn(view, { span, after, limit }))));
    if (all.length > most) return undefined;
    if (span.up_to_seq === null) continue;
    if (await hasMoreChanged(query, view, span)) return undefined;
    all.push(...(await query.all<OverlaidVersion>(changedSince(view, { span, limit: most + 1 - all.length }))));
    if (all.length > most) return undefined;
  }
  return all;
}

type BranchPart = { span: BranchSpan; limit: number };

function writtenIn({ account_id }: EntryView, { span, after, limit }: BranchPart & { after: number }): Sql {
  const upTo = span.up_to_seq === null ? emptySql : sql` AND seq <= ${span.up_to_seq}`;
  return sql`SELECT seq, entry_id, version, deleted, octet_length(document) AS document_bytes FROM entries
    WHERE account_id = ${account_id} AND branch = ${span.branch} AND seq > ${after}${upTo} ORDER BY seq LIMIT ${limit}`;
}

const changedHeads = ({ account_id }: EntryView, { branch, up_to_seq }: BranchSpan): Sql =>
  sql`SELECT entry_id FROM entries WHERE account_id = ${account_id} AND branch = ${branch} AND seq > ${up_to_seq ?? 0}
      ORDER BY seq LIMIT ${LOOKED_AT}`;

/** The number of an entry is the `seq` of its first version. */
function changedSince(view: EntryView, { span, limit }: BranchPart): Sql {
  const upTo = span.up_to_seq ?? 0;
  return sql`SELECT past.seq, past.entry_id, past.version, past.deleted, octet_length(past.document) AS document_bytes
    FROM (${changedHeads(view, span)}) AS head ${pastOf(view, upTo)} WHERE head.entry_id <= ${upTo} LIMIT ${limit}`;
}

async function hasMoreChanged(query: Query, { account_id }: EntryView, span: BranchSpan): Promise<boolean> {
  const row = await query.get(
    sql`SELECT 1 AS beyond FROM entries WHERE account_id = ${account_id} AND branch = ${span.branch}
        AND seq > ${span.up_to_seq ?? 0} ORDER BY seq LIMIT 1 OFFSET ${LOOKED_AT}`,
  );
  return row !== undefined;
}

import type { Glob, Output } from '@mem-service/contract';
import type { ReadContext } from '../../kernel/index.ts';
import * as queries from './queries.ts';

type ConsolidationNotice = NonNullable<Output<'briefing.read'>['consolidation_notice']>;

/** Proposals that are named. */
const NAMED = 5;

/** That proposals at some paths wait for a decision, of those that the view shows; null where none does. */
export async function findNotice(
  { scan, view }: Pick<ReadContext, 'scan' | 'view'>,
  paths: readonly Glob[] | undefined,
): Promise<ConsolidationNotice | null> {
  const rows = await queries.listPending(scan, view, { paths, limit: queries.MOST_PENDING });
  const n = rows.length;
  if (n === 0) return null;
  const waiting = n === 1 ? '1 proposal waits' : `${n} proposals wait`;
  return {
    pending_proposals: n,
    proposal_ids: rows.slice(0, NAMED).map(({ proposal_id }) => proposal_id),
    message: `${waiting} for a decision: mem_consolidation_proposals shows what would be merged, mem_decide_proposal decides.`,
  };
}

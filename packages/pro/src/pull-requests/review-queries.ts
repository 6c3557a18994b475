import { andAll, type FirstRows, fragment, type Insert, type Query, type Sql, sql } from '@mem-service/server/module';

export type ReviewDecision = 'approved' | 'changes_requested' | 'commented';

export type ReviewRow = {
  account_id: string;
  pull_request_id: string;
  no: number;
  reviewer: string;
  /** The key or the member that reviewed; null without keys. */
  holder: string | null;
  decision: ReviewDecision;
  comment: string;
  /** Null for a review of the whole. */
  entity_path: string | null;
  key: string | null;
  /** Empty for everyone, or the agent whose private entry it is about. */
  visible_to: string;
  /** The last write to the source branch before it. */
  source_seq: number;
  created_at: number;
};

export const insertReview: Insert = {
  table: 'pull_request_reviews',
  columns: {
    account_id: 'text',
    pull_request_id: 'text',
    no: 'int',
    reviewer: 'text',
    holder: 'text',
    decision: 'text',
    comment: 'text',
    entity_path: 'text',
    key: 'text',
    visible_to: 'text',
    source_seq: 'int',
    created_at: 'int',
  },
};

const REVIEW = fragment(Object.keys(insertReview.columns).join(', '));

export type GivenDecision = Omit<ReviewRow, 'account_id' | 'pull_request_id' | 'comment' | 'created_at' | 'visible_to'>;

/** Every decision of a pull request in order, without comments: there are a few hundred at most. */
export function listDecisions(query: Query, accountId: string, id: string): Promise<GivenDecision[]> {
  return query.all(
    sql`SELECT no, reviewer, holder, decision, entity_path, key, source_seq FROM pull_request_reviews
        WHERE account_id = ${accountId} AND pull_request_id = ${id} AND decision <> 'commented' ORDER BY no`,
  );
}

/** Up to which write of the source branch others than its author have looked at a pull request; 0 where nobody has. */
export async function newestReviewOf(
  query: Query,
  accountId: string,
  { id, created_by }: { id: string; created_by: string },
): Promise<number> {
  const found = await query.get<{ seq: number | null }>(
    sql`SELECT max(source_seq) AS seq FROM pull_request_reviews
        WHERE account_id = ${accountId} AND pull_request_id = ${id} AND reviewer <> ${created_by}`,
  );
  return found?.seq ?? 0;
}

export async function lastReviewNo(query: Query, accountId: string, id: string): Promise<number> {
  const found = await query.get<{ no: number }>(
    sql`SELECT no FROM pull_request_reviews WHERE account_id = ${accountId} AND pull_request_id = ${id}
        ORDER BY no DESC LIMIT 1`,
  );
  return found?.no ?? 0;
}

export type ReviewPage = {
  account_id: string;
  pull_request_id: string;
  filters: readonly Sql[];
  limit: number;
  bytes: number;
};

/** The newest reviews. */
export function listReviews(query: Query, page: ReviewPage): Promise<FirstRows<ReviewRow>> {
  const { account_id, pull_request_id, filters, limit, bytes } = page;
  return query.first(
    sql`SELECT ${REVIEW} FROM pull_request_reviews WHERE account_id = ${account_id}
          AND pull_request_id = ${pull_request_id}${andAll(filters)} ORDER BY no DESC LIMIT ${limit}`,
    { columns: ['comment', 'entity_path', 'key', 'reviewer'], bytes },
  );
}

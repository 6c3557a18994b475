import { fragment, type Insert, type Query, sql, type Transaction } from '../../db/index.ts';

/** There is one for each account whose weights are fitted; `weights` is null while the default ones are used. */
export type WeightsRow = {
  account_id: string;
  name: string;
  weights: string | null;
  fitted_on: number | null;
  held_out: number | null;
  mrr_default: number | null;
  mrr_fitted: number | null;
  fitted_at: number | null;
};

/** The name of the weights of `entries.retrieve`. */
export const RETRIEVE = 'retrieve';

export const upsertWeights: Insert = {
  table: 'fitted_weights',
  columns: {
    account_id: 'text',
    name: 'text',
    weights: 'text',
    fitted_on: 'int',
    held_out: 'int',
    mrr_default: 'real',
    mrr_fitted: 'real',
    fitted_at: 'int',
  },
  suffix: `ON CONFLICT (account_id, name) DO UPDATE SET weights = excluded.weights, fitted_on = excluded.fitted_on,
    held_out = excluded.held_out, mrr_default = excluded.mrr_default, mrr_fitted = excluded.mrr_fitted,
    fitted_at = excluded.fitted_at`,
};

const WEIGHTS = fragment(Object.keys(upsertWeights.columns).join(', '));

export function getWeights(query: Query, accountId: string): Promise<WeightsRow | undefined> {
  return query.get<WeightsRow>(
    sql`SELECT ${WEIGHTS} FROM fitted_weights WHERE account_id = ${accountId} AND name = ${RETRIEVE}`,
  );
}

export function deleteWeights(tx: Transaction, accountId: string): Promise<number> {
  return tx.run(sql`DELETE FROM fitted_weights WHERE account_id = ${accountId} AND name = ${RETRIEVE}`);
}

/** Over all accounts: those whose weights were not fitted since a time. */
export function listUnfitted(
  query: Query,
  { before, limit }: { before: number; limit: number },
): Promise<Pick<WeightsRow, 'account_id'>[]> {
  return query.all(
    sql`SELECT account_id FROM fitted_weights WHERE name = ${RETRIEVE} AND coalesce(fitted_at, 0) < ${before}
        ORDER BY coalesce(fitted_at, 0) LIMIT ${limit}`,
  );
}

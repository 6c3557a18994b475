import { fragment, type Insert, type Query, sql, type Transaction } from '@mem-service/server/module';

/** The bounds of a day or a month; null for none. */
export type BudgetRow = {
  account_id: string;
  period: string;
  max_calls: number | null;
  max_usd: number | null;
  agent_id: string;
  updated_at: number;
};

export const putBudgets: Insert = {
  table: 'model_budgets',
  columns: {
    account_id: 'text',
    period: 'text',
    max_calls: 'int',
    max_usd: 'real',
    agent_id: 'text',
    updated_at: 'int',
  },
  suffix: `ON CONFLICT (account_id, period) DO UPDATE SET max_calls = excluded.max_calls, max_usd = excluded.max_usd,
    agent_id = excluded.agent_id, updated_at = excluded.updated_at`,
};

const BUDGET = fragment(Object.keys(putBudgets.columns).join(', '));

export function listBudgets(query: Query, accountId: string): Promise<BudgetRow[]> {
  return query.all(sql`SELECT ${BUDGET} FROM model_budgets WHERE account_id = ${accountId} ORDER BY period`);
}

/** What was spent in a day or a month. */
export type SpendingRow = {
  account_id: string;
  period: string;
  starts_at: number;
  calls: number;
  failed: number;
  cost_usd: number;
  input_tokens: number;
  output_tokens: number;
};

export const addSpending: Insert = {
  table: 'model_spending',
  columns: {
    account_id: 'text',
    period: 'text',
    starts_at: 'int',
    calls: 'int',
    failed: 'int',
    cost_usd: 'real',
    input_tokens: 'int',
    output_tokens: 'int',
  },
  suffix: `ON CONFLICT (account_id, period, starts_at) DO UPDATE SET calls = model_spending.calls + excluded.calls,
    failed = model_spending.failed + excluded.failed, cost_usd = model_spending.cost_usd + excluded.cost_usd,
    input_tokens = model_spending.input_tokens + excluded.input_tokens,
    output_tokens = model_spending.output_tokens + excluded.output_tokens`,
};

/** Adding locks the row until the transaction ends, so of many servers each sees what the ones before it have added. */
export const addAndSee: Insert = {
  ...addSpending,
  suffix: `${addSpending.suffix} RETURNING period, starts_at, calls, cost_usd`,
};

const SPENDING = fragment(Object.keys(addSpending.columns).join(', '));

export type SpendingKey = { period: string; starts_at: number };

export function getSpending(query: Query, accountId: string, key: SpendingKey): Promise<SpendingRow | undefined> {
  return query.get(
    sql`SELECT ${SPENDING} FROM model_spending WHERE account_id = ${accountId} AND period = ${key.period}
        AND starts_at = ${key.starts_at}`,
  );
}

export function deleteBefore(tx: Transaction, accountId: string, startsAt: number): Promise<number> {
  return tx.run(
    sql`DELETE FROM model_spending WHERE account_id = ${accountId} AND period IN ('day', 'month')
        AND starts_at < ${startsAt}`,
  );
}

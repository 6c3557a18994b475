import { fragment, type Insert, type Query, sql } from '@mem-service/server/module';

/** What an account has said about its fixes: their `policy`, or their `set_id`. */
export type FixSettingRow = {
  account_id: string;
  name: string;
  value: string;
  agent_id: string;
  updated_at: number;
};

export const putSettings: Insert = {
  table: 'fix_settings',
  columns: { account_id: 'text', name: 'text', value: 'text', agent_id: 'text', updated_at: 'int' },
  suffix: `ON CONFLICT (account_id, name) DO UPDATE SET value = excluded.value, agent_id = excluded.agent_id,
    updated_at = excluded.updated_at`,
};

const SETTING = fragment(Object.keys(putSettings.columns).join(', '));

export function listSettings(query: Query, accountId: string): Promise<FixSettingRow[]> {
  return query.all(sql`SELECT ${SETTING} FROM fix_settings WHERE account_id = ${accountId} ORDER BY name`);
}

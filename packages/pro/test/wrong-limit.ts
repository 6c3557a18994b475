import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import type { TestApp } from '../../../tests/support/app.ts';

export const LIMIT = { entity_path: 'shop/refunds', key: 'limit' };
export const OTHER = { entity_path: 'shop/refunds', key: 'contact' };
const SUCCESS = { kind: 'code' as const, checks: [{ check: 'outcome' as const, in: ['success' as const] }] };

type ReportedRun = { outcome_type: string; branch?: string; attributes?: object; tool_calls?: object[] };
export const GOOD = { outcome_type: 'success' };
export const BAD = { outcome_type: 'failure' };

let runs = 0;

/** A session that reads an entry and says how it went. */
export async function run(app: TestApp, at: object, { outcome_type, ...more }: ReportedRun): Promise<string> {
  const as = { agent_id: 'agent/clerk', session_id: `run-${++runs}` };
  const { branch = 'main' } = more;
  await app.call('entries.read', { ...at, branch } as never, as);
  const report = { outcome_ref: `run-${runs}`, outcome_type, task_input: 'pay it back', ...more };
  return (await app.call('outcomes.commit', report as never, as)).trace_id as string;
}

/** A limit that is right in its first version and wrong in its second, and runs that say so. */
export async function layWrongLimit(app: TestApp): Promise<string> {
  await app.call('judges.create', { judge_id: 'succeeds', definition: SUCCESS });
  await app.call('entries.write', { ...LIMIT, value: 100 }, { agent_id: 'agent/careful' });
  await app.call('entries.write', { ...OTHER, value: 'desk' }, { agent_id: 'agent/careful' });
  for (let n = 0; n < 6; n++) await run(app, LIMIT, GOOD);
  for (let n = 0; n < 12; n++) await run(app, OTHER, GOOD);
  await app.call('entries.write', { ...LIMIT, value: 9 }, { agent_id: 'agent/hasty' });
  let failed = '';
  for (let n = 0; n < 8; n++) failed = await run(app, LIMIT, BAD);
  for (let n = 0; n < 2; n++) await caughtUp(app);
  return failed;
}

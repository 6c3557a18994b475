import { Fault, type judgeShapes, type Output, type Query, toIso } from '@mem-service/server/module';
import { type BehaviorRow, getBehavior } from './queries.ts';

export type Behavior = Output<'behaviors.read'>;

export const matcherIn = ({ matcher }: Pick<BehaviorRow, 'matcher'>): judgeShapes.TraceCheck[] =>
  JSON.parse(matcher) as judgeShapes.TraceCheck[];

export const toBehavior = (row: BehaviorRow): Behavior => ({
  behavior_id: row.behavior_id,
  version: row.version,
  name: row.name,
  description: row.description,
  status: row.status as Behavior['status'],
  for_agent: row.for_agent,
  for_path: row.for_path,
  matcher: matcherIn(row),
  trace_id: row.trace_id,
  backfill_id: row.backfill_id,
  opens_incidents: row.opens_incidents === 1,
  agent_id: row.agent_id,
  created_at: toIso(row.created_at),
  updated_at: toIso(row.updated_at),
});

export async function requireBehavior(query: Query, accountId: string, id: string): Promise<BehaviorRow> {
  const row = await getBehavior(query, accountId, id);
  if (!row) throw new Fault('not_found', `there is no behavior ${id}`, { behavior_id: id });
  return row;
}

import { ADMINS, type Caller, MAIN_BRANCH, type Work } from '@mem-service/server/module';

/** Changes of teams are logged, but no agent sees these events. They name no person. */
export function emitTeamEvent(
  work: Work,
  { agent_id }: Caller,
  event: { event_type: string; details: Record<string, unknown> },
): void {
  const place = { branch: MAIN_BRANCH, entity_path: null, key: null, version: null };
  work.emit({ ...event, ...place, agent_id, visible_to: ADMINS });
}

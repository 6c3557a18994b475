import {
  type Caller,
  Fault,
  type Query,
  type ReadContext,
  readableBranches,
  type Services,
  viewerOf,
} from '@mem-service/server/module';
import { getIncident, type IncidentRow } from './queries.ts';

type SightContext = Pick<ReadContext, 'caller' | 'services'> & { read: Query; scan: Query };

export async function requireIncident(context: SightContext, incidentId: string): Promise<IncidentRow> {
  const row = await getIncident(context.read, viewerOf(context), incidentId);
  const asked = row && readableBranches(context, [row.branch]);
  const readable = asked && (await asked);
  const isReadable = row !== undefined && (readable?.has(row.branch) ?? true);
  if (!isReadable) throw new Fault('not_found', `there is no incident ${incidentId}`, { incident_id: incidentId });
  return row;
}

export function sightOf(services: Services, caller: Caller): SightContext {
  const { read, scan } = services.database.forAccount(caller.account_id);
  return { caller, services, read, scan };
}

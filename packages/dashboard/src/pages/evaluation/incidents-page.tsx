import { useBranchRefresh } from '../../data/use-refresh.ts';
import type { PageProps } from '../../pages.ts';
import { INCIDENT_ANSWERS, INCIDENT_EVENTS } from './incident-data.ts';
import { IncidentList } from './incident-list.tsx';
import { IncidentPage } from './incident-page.tsx';

/** `#/incidents` lists them, `#/incidents/ID` shows one. */
export function IncidentsPage({ rest }: PageProps) {
  useBranchRefresh(INCIDENT_EVENTS, INCIDENT_ANSWERS);
  return rest === '' ? <IncidentList /> : <IncidentPage key={rest} incidentId={rest} />;
}

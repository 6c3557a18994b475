import type { OperationName, Output } from '../../data/client.ts';
import { incidents } from '../../texts/incidents.ts';
import type { Tone } from '../../ui/marks.tsx';

export type ListedIncident = Output<'incidents.list'>['incidents'][number];
export type WholeIncident = Output<'incidents.read'>;

export const INCIDENT_ANSWERS: readonly OperationName[] = ['incidents.list', 'incidents.read'];
export const INCIDENT_EVENTS: ReadonlySet<string> = new Set([
  ...['incident_opened', 'incident_grown', 'incident_acknowledged', 'incident_muted', 'incident_resolved'],
  'incident_reopened',
]);

export const INCIDENT_TONES: Record<ListedIncident['status'], Tone> = {
  open: 'bad',
  acknowledged: 'warn',
  muted: 'mute',
  resolved: 'good',
};

export type NamedIncident = Pick<ListedIncident, 'source_kind' | 'source_id' | 'agent_id'>;

/** With the name of what found it, where that is known. */
export const incidentTitle = ({ source_kind, source_id, agent_id }: NamedIncident, name = source_id): string =>
  incidents.titleOf[source_kind](name, agent_id);

import { hrefOf } from '../../router/address.ts';
import { evaluation } from '../../texts/evaluation.ts';
import { confidence, shortId } from '../../texts/format.ts';
import { Tag } from '../../ui/marks.tsx';
import type { Column } from '../../ui/table.tsx';
import { type ListedVerdict, RESULT_TONES, type ShownResult } from './evaluation-data.ts';
import { incidentTitle, type NamedIncident } from './incident-data.ts';
import { type SourceKind, useSourceName } from './source-names.ts';

const texts = evaluation.verdicts;

type SourceLinkProps = { id: string; className?: string };

export const ResultTag = ({ result }: { result: ShownResult }) => (
  <Tag tone={RESULT_TONES[result]}>{evaluation.results[result]}</Tag>
);

export const scoreText = (score: number | null): string => (score === null ? evaluation.unknown : confidence(score));

/** By its name, as the lists of judges and behaviors show it. */
export const JudgeLink = ({ id, className }: SourceLinkProps) => (
  <a className={className} href={hrefOf('judges', id)} title={id}>
    {useSourceName('judge', id)}
  </a>
);

export const SourceName = ({ kind, id }: { kind: SourceKind; id: string }) => (
  <span title={id}>{useSourceName(kind, id)}</span>
);

export const BehaviorLink = ({ id, className }: SourceLinkProps) => (
  <a className={className} href={hrefOf('behaviors', id)} title={id}>
    {useSourceName('behavior', id)}
  </a>
);

/** What an incident is about, with the name of what found it. */
export const IncidentTitle = ({ incident }: { incident: NamedIncident }) =>
  incidentTitle(incident, useSourceName(incident.source_kind, incident.source_id));

export const TraceLink = ({ id }: { id: string }) => (
  <a className="link mono" href={hrefOf('traces', id)} title={id}>
    {shortId(id)}
  </a>
);

/** The columns of what was found, kept or tried out. */
export const scoreColumn: Column<Pick<ListedVerdict, 'score'>> = {
  ...{ id: 'score', head: texts.columns.score, width: 72, end: true, phone: 'hide' },
  cell: ({ score }) => <span className="second">{scoreText(score)}</span>,
};
export const reasonColumn: Column<Pick<ListedVerdict, 'reason'>> = {
  ...{ id: 'reason', head: texts.columns.reason, phone: 'detail' },
  cell: ({ reason }) => (
    <span className="second" title={reason}>
      {reason}
    </span>
  ),
};

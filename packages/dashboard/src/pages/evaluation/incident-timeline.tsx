import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { ago, fullTimeOf } from '../../texts/format.ts';
import { incidents as texts } from '../../texts/incidents.ts';
import { Section } from '../../ui/section.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from './evaluation.module.css';
import { TraceLink } from './evaluation-marks.tsx';
import type { WholeIncident } from './incident-data.ts';

type IncidentTrace = WholeIncident['traces'][number];

const When = ({ at }: { at: string }) => {
  const now = useNow();
  return (
    <time className="third small" dateTime={at} title={fullTimeOf(at)}>
      {ago(at, now)}
    </time>
  );
};

type OfIncident = { incident: WholeIncident };

export function IncidentTraces({ incident: { source_kind, traces } }: OfIncident) {
  const title = texts.traces[source_kind];
  return (
    <Section title={title} note={texts.tracesNote} bleed>
      <Table
        label={title}
        columns={columns}
        rows={traces}
        keyOf={({ trace_id }) => trace_id}
        onOpen={({ trace_id }) => navigate(hrefOf('traces', trace_id))}
      />
    </Section>
  );
}

const columns: readonly Column<IncidentTrace>[] = [
  {
    ...{ id: 'agent', head: texts.traceColumns.agent, phone: 'name' },
    cell: ({ agent_id }) => (
      <a className="strong" href={hrefOf('agents', agent_id)}>
        {agent_id}
      </a>
    ),
  },
  {
    ...{ id: 'trace', head: texts.traceColumns.trace, width: 132, phone: 'detail' },
    cell: ({ trace_id }) => <TraceLink id={trace_id} />,
  },
  {
    ...{ id: 'at', head: texts.traceColumns.at, width: 100, phone: 'time' },
    cell: ({ traced_at }) => <When at={traced_at} />,
  },
];

/** What happened to it, newest first. */
export function IncidentTimeline({ incident: { source_kind, timeline } }: OfIncident) {
  return (
    <Section title={texts.timeline}>
      <ol className={styles.links}>
        {timeline.map(({ change, agent_id, reason, failures, created_at }) => (
          <li key={`${change}-${created_at}`}>
            <span className="line">
              <span className="strong">{texts.changes[change]}</span>
              <span className="second small">
                {failures === null ? agent_id : texts.failures[source_kind](failures)}
              </span>
              <span className="grow" />
              <When at={created_at} />
            </span>
            {reason !== '' && <p className="second small prose">{reason}</p>}
          </li>
        ))}
      </ol>
    </Section>
  );
}

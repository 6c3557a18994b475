import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { ago, fullTimeOf } from '../../texts/format.ts';
import { incidents as texts } from '../../texts/incidents.ts';
import { Section } from '../../ui/section.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from './evaluation.module.css';
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

export function IncidentTraces({ traces }: { traces: readonly IncidentTrace[] }) {
  return (
    <Section title={texts.traces} note={texts.tracesNote} bleed>
      <Table label={texts.traces} columns={columns} rows={traces} keyOf={({ trace_id }) => trace_id} />
    </Section>
  );
}

const columns: readonly Column<IncidentTrace>[] = [
  {
    ...{ id: 'trace', head: texts.traceColumns.trace, phone: 'name' },
    cell: ({ trace_id }) => (
      <a href={hrefOf('traces', trace_id)}>
        <code>{trace_id}</code>
      </a>
    ),
  },
  {
    ...{ id: 'agent', head: texts.traceColumns.agent, phone: 'detail' },
    cell: ({ agent_id }) => <a href={hrefOf('agents', agent_id)}>{agent_id}</a>,
  },
  {
    ...{ id: 'at', head: texts.traceColumns.at, width: 100, phone: 'time' },
    cell: ({ traced_at }) => <When at={traced_at} />,
  },
];

/** What happened to it, newest first. */
export function IncidentTimeline({ timeline }: { timeline: WholeIncident['timeline'] }) {
  return (
    <Section title={texts.timeline}>
      <ol className={styles.links}>
        {timeline.map(({ change, agent_id, reason, failures, created_at }) => (
          <li key={`${change}-${created_at}`}>
            <span className="line">
              <span className="strong">{texts.changes[change]}</span>
              <span className="second small">{failures === null ? agent_id : texts.failures(failures)}</span>
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

import { hrefOf } from '../../router/address.ts';
import { traces } from '../../texts/traces.ts';
import { Delta, EntryName } from '../../ui/marks.tsx';
import { type Fact, Facts } from '../../ui/section.tsx';
import { Payload } from './step-details.tsx';
import type { WholeTrace } from './steps.ts';
import { OutcomeTag } from './trace-facts.tsx';
import styles from './traces.module.css';
import type { Affected, SealCheck, TraceData } from './use-trace.ts';

const texts = traces.inspector;

/** The session as a whole: what was asked and answered, and what seals it. */
export function SessionDetails({ data: { trace }, seal }: { data: TraceData; seal: SealCheck | undefined }) {
  const { session_id, branch, outcome_ref, state_diff } = trace;
  const facts: Fact[] = [
    { name: texts.result, value: outcome_ref === null ? traces.one.none : <span className="mono">{outcome_ref}</span> },
    {
      name: texts.session,
      value:
        session_id === null ? (
          traces.one.none
        ) : (
          <a className="link mono" href={hrefOf('traces', '', { session: session_id })}>
            {session_id}
          </a>
        ),
    },
    { name: texts.branch, value: branch },
    { name: texts.changes, value: texts.changesOf(state_diff.entries_created, state_diff.entries_updated) },
  ];
  return (
    <>
      <Facts facts={facts} />
      <Payload title={texts.task} value={trace.task_input} />
      <Payload title={texts.answer} value={trace.response_text} />
      <Payload title={texts.decision} value={trace.decision_summary} />
      <Payload title={texts.attributes} value={trace.attributes} />
      <Seal trace={trace} seal={seal} />
    </>
  );
}

function Seal({ trace, seal }: { trace: WholeTrace; seal: SealCheck | undefined }) {
  const { hash, parent_hash, sequence, signature, key_id } = trace;
  const problem = seal?.problems[0];
  return (
    <div className={styles.payload}>
      <h3>{texts.seal}</h3>
      {seal && (
        <p className={problem ? 'bad small' : 'good small'}>
          {problem ? `${problem.reason}: ${problem.detail}` : texts.verifiedWhy(signature !== null)}
        </p>
      )}
      <Facts
        facts={[
          { name: texts.hash, value: <span className="mono">{hash}</span> },
          { name: texts.place, value: sequence },
          {
            name: texts.parent,
            value: parent_hash === null ? texts.first : <span className="mono">{parent_hash}</span>,
          },
          { name: texts.signature, value: signature === null ? texts.unsigned : (key_id ?? '') },
        ]}
      />
    </div>
  );
}

type AttemptProps = { when: Fact; attempt: WholeTrace['attempts'][number] | undefined; data: TraceData };

export function AttemptDetails({ attempt, data, when }: AttemptProps) {
  const about = data.outcome?.entries.filter((entry) => entry.attempt === (attempt?.attempt ?? null)) ?? [];
  return (
    <>
      <Facts
        facts={[
          when,
          {
            name: traces.one.facts.outcome,
            value: <OutcomeTag type={attempt?.outcome_type ?? data.trace.outcome_type} />,
          },
        ]}
      />
      <Payload title={texts.summary} value={attempt?.summary} />
      <Moved entries={about} />
    </>
  );
}

export function OutcomeDetails({ data: { trace, outcome }, when }: { data: TraceData; when: Fact }) {
  return (
    <>
      <Facts facts={[when, { name: traces.one.facts.outcome, value: <OutcomeTag type={trace.outcome_type} /> }]} />
      <Moved entries={outcome?.entries ?? []} />
    </>
  );
}

/** What an outcome did to each entry, in the service's words. */
function Moved({ entries }: { entries: readonly Affected[] }) {
  if (entries.length === 0) return null;
  return (
    <div className={styles.payload}>
      <h3>{texts.whatItDid}</h3>
      <ul className={styles.stack}>
        {entries.map((entry) => (
          <li key={`${entry.entity_path}/${entry.key}-${entry.attempt}`}>
            <a href={hrefOf('memory', entry.entity_path, { key: entry.key })}>
              <EntryName path={entry.entity_path} name={entry.key} />
            </a>{' '}
            {entry.applied && entry.confidence_after !== null && (
              <Delta before={entry.confidence_before} after={entry.confidence_after} />
            )}
            <div className="second small">{entry.why}</div>
          </li>
        ))}
      </ul>
    </div>
  );
}

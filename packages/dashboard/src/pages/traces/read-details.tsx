import { useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { dayAndTime } from '../../texts/format.ts';
import { traces } from '../../texts/traces.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { comparable, Diff } from '../../ui/diff.tsx';
import { Confidence, Delta, Status } from '../../ui/marks.tsx';
import { type Fact, Facts } from '../../ui/section.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import type { CausalEntry } from './steps.ts';
import styles from './traces.module.css';
import { affectedOf, type TraceData } from './use-trace.ts';

const texts = traces.inspector;

/** The version of an entry that holds now. It does not count as a read. */
export function useCurrent({ entity_path, key, branch }: Pick<CausalEntry, 'entity_path' | 'key' | 'branch'>) {
  const history = useOperation('entries.history', { entity_path, key, branch, limit: 1 }, { keepPrevious: false });
  return { history, current: history.data?.versions[0] };
}

/** An entry as it was read, as it is now, and what the outcome did to it. */
export function ReadDetails({ data, read, when }: { data: TraceData; read: CausalEntry; when: Fact }) {
  return (
    <>
      <Facts
        facts={[
          when,
          { name: texts.confidenceThen, value: <Confidence value={read.confidence} /> },
          { name: texts.statusThen, value: <Status status={read.evidence_status} /> },
          {
            name: texts.writtenBy,
            value: (
              <a className="link" href={hrefOf('agents', read.written_by)}>
                {read.written_by}
              </a>
            ),
          },
        ]}
      />
      <ThenAndNow read={read} />
      <Effect data={data} read={read} />
      <div className={styles.buttons}>
        <ButtonLink href={hrefOf('memory', read.entity_path, { key: read.key })}>{texts.openEntry}</ButtonLink>
        <ButtonLink href={hrefOf('traces', '', { path: read.entity_path })}>{texts.whoElse}</ButtonLink>
      </div>
    </>
  );
}

function ThenAndNow({ read }: { read: CausalEntry }) {
  const { history, current } = useCurrent(read);
  if (history.isPending) return <Skeleton rows={3} />;
  if (history.error) return <ErrorState error={history.error} onRetry={() => void history.refetch()} />;
  if (!current) return null;
  const isSame = current.version === read.version;
  return (
    <div className={styles.payload}>
      <h3>{current.deleted ? texts.gone(read.version) : texts.readAs(read.version, current.version)}</h3>
      {!isSame && (
        <p className="second small">
          {texts.changedBy}{' '}
          <a className="link" href={hrefOf('agents', current.provenance.agent_id)}>
            {current.provenance.agent_id}
          </a>{' '}
          {texts.changedAt(dayAndTime(current.provenance.written_at))}
        </p>
      )}
      <Values read={read} now={isSame || current.deleted ? undefined : comparable(current.value)} />
    </div>
  );
}

function Values({ read, now }: { read: CausalEntry; now: string | undefined }) {
  if (read.value === undefined) return <p className="third small">{texts.valueGone}</p>;
  const then = comparable(read.value);
  if (now === undefined)
    return (
      <Code
        label={texts.valueThen}
        text={then}
        json={typeof read.value !== 'string'}
        wrap={typeof read.value === 'string'}
      />
    );
  if (now === then) return <p className="third small">{texts.sameValue}</p>;
  return <Diff label={texts.thenAndNow} before={then} after={now} />;
}

function Effect({ data, read }: { data: TraceData; read: CausalEntry }) {
  const affected = affectedOf(data, read);
  if (!data.outcome) return null;
  return (
    <div className={styles.payload}>
      <h3>{texts.whatItDid}</h3>
      {affected ? (
        <p className="small">
          {affected.applied && affected.confidence_after !== null && (
            <>
              <Delta before={affected.confidence_before} after={affected.confidence_after} />{' '}
            </>
          )}
          <span className="second">{affected.why}</span>
        </p>
      ) : (
        <p className="second small">{texts.notNamed}</p>
      )}
    </div>
  );
}

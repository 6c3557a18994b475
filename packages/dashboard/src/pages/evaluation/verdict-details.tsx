import { useState } from 'react';
import { useAction } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { evaluation } from '../../texts/evaluation.ts';
import { dayAndTime, fullTimeOf, money } from '../../texts/format.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { EntryName } from '../../ui/marks.tsx';
import { type Fact, Facts } from '../../ui/section.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from './evaluation.module.css';
import { type ListedVerdict, VERDICT_ANSWERS } from './evaluation-data.ts';
import { JudgeLink, ResultTag, scoreText } from './evaluation-marks.tsx';
import { OverruleDialog } from './overrule-dialog.tsx';

const texts = evaluation.verdicts;

/** The step of a trace that a span is. */
export const stepHref = (traceId: string, spanId: string): string =>
  hrefOf('traces', traceId, { step: `span-${spanId}` });

type VerdictDetailsProps = {
  verdict: ListedVerdict /** Where the trace is not on the page anyway. */;
  isWithTrace?: boolean;
};

/** What was found and why, what it rests on, and what a person says to it. */
export function VerdictDetails({ verdict, isWithTrace = false }: VerdictDetailsProps) {
  const { trace_id, reason, span_ids, memory, partial } = verdict;
  return (
    <>
      {isWithTrace && <Facts facts={factsOf(verdict)} />}
      <p className="second prose">{reason === '' ? texts.noReason : reason}</p>
      {partial && <p className="warn small">{texts.partial}</p>}
      {span_ids.length > 0 && (
        <div className={styles.part}>
          <h3>{texts.spans}</h3>
          <ul className={styles.links}>
            {span_ids.map((id) => (
              <li key={id} className="cut">
                <a className="link mono" href={stepHref(trace_id, id)} title={id}>
                  {id}
                </a>
              </li>
            ))}
          </ul>
        </div>
      )}
      {memory.length > 0 && (
        <div className={styles.part}>
          <h3>{texts.memory}</h3>
          <ul className={styles.links}>
            {memory.map((read) => (
              <li key={JSON.stringify(read)} className="line">
                <MemoryLink read={read} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <PersonFound verdict={verdict} />
      {isWithTrace && (
        <div>
          <ButtonLink href={hrefOf('traces', trace_id)}>{texts.openTrace}</ButtonLink>
        </div>
      )}
    </>
  );
}

function MemoryLink({ read: { entity_path, key, branch, version } }: { read: ListedVerdict['memory'][number] }) {
  const on = branch === 'main' ? {} : { branch };
  return (
    <>
      <a className="link mono cut" href={hrefOf('memory', entity_path, { key, ...on, new: version })}>
        <EntryName path={entity_path} name={key} />
      </a>
      <span className="third small">{evaluation.judges.version(version)}</span>
    </>
  );
}

/** What a person found: it overrules the judge, and can be taken back. */
function PersonFound({ verdict }: { verdict: ListedVerdict }) {
  const { trace_id, judge_id, human } = verdict;
  const [isOverruling, setOverruling] = useState(false);
  const takeBack = useAction('verdicts.overrule', {
    changes: VERDICT_ANSWERS,
    onDone: () => showToast(evaluation.human.takenBack),
  });
  return (
    <div className={styles.part}>
      {human && (
        <>
          <h3>{evaluation.human.title}</h3>
          <p>
            <ResultTag result={human.result} /> {human.reason}
          </p>
          <p className="third small">{evaluation.human.by(human.agent_id, dayAndTime(human.created_at))}</p>
        </>
      )}
      {takeBack.error ? <ErrorState error={takeBack.error} isAction /> : null}
      <div className="line">
        <Button onClick={() => setOverruling(true)}>{evaluation.human.overrule}</Button>
        {human && (
          <Button
            kind="quiet"
            busy={takeBack.isPending}
            onClick={() => takeBack.mutate({ trace_id, judge_id, result: null })}
          >
            {evaluation.human.takeBack}
          </Button>
        )}
      </div>
      {isOverruling && <OverruleDialog verdict={verdict} onClose={() => setOverruling(false)} />}
    </div>
  );
}

function factsOf(verdict: ListedVerdict): Fact[] {
  const { facts } = texts;
  const { judge_id, judge_version, agent_id, result, judge_result, score, traced_at, created_at, cost_usd } = verdict;
  const at = (time: string) => (
    <time dateTime={time} title={fullTimeOf(time)}>
      {dayAndTime(time)}
    </time>
  );
  return [
    { name: facts.result, value: <ResultTag result={result} /> },
    ...(judge_result === result ? [] : [{ name: facts.judgeResult, value: <ResultTag result={judge_result} /> }]),
    { name: facts.score, value: scoreText(score) },
    {
      name: facts.judge,
      value: (
        <>
          <JudgeLink id={judge_id} /> <span className="third">{evaluation.judges.version(judge_version)}</span>
        </>
      ),
    },
    {
      name: facts.agent,
      value: (
        <a className="link" href={hrefOf('agents', agent_id)}>
          {agent_id}
        </a>
      ),
    },
    { name: facts.sealed, value: at(traced_at) },
    { name: facts.judged, value: at(created_at) },
    ...(cost_usd === null ? [] : [{ name: facts.cost, value: money(cost_usd) }]),
  ];
}

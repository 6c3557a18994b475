import { useInstalled } from '../../data/installed.ts';
import { useAction, useOperation, usePages } from '../../data/query.ts';
import { useBranchRefresh } from '../../data/use-refresh.ts';
import { evaluation } from '../../texts/evaluation.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Tag } from '../../ui/marks.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Section } from '../../ui/section.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { ErrorState, Loaded } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from './evaluation.module.css';
import { type ListedVerdict, VERDICT_ANSWERS, VERDICT_EVENTS } from './evaluation-data.ts';
import { JudgeLink, ResultTag, scoreText } from './evaluation-marks.tsx';
import { VerdictDetails } from './verdict-details.tsx';

const texts = evaluation.ofTrace;
const VERDICTS = { name: 'verdicts.list', input: { limit: 1 } } as const;
const JUDGES = { name: 'judges.list', input: { limit: 1 } } as const;
const PAGE = 20;

/** What judges found in a trace; nothing where no module judges. */
export function TraceVerdicts({ traceId }: { traceId: string }) {
  const isInstalled = useInstalled([VERDICTS]).get(VERDICTS.name) === true;
  return isInstalled ? <Verdicts traceId={traceId} /> : null;
}

function Verdicts({ traceId }: { traceId: string }) {
  useBranchRefresh(VERDICT_EVENTS, VERDICT_ANSWERS);
  const input = { trace_id: traceId, limit: PAGE };
  const call = { name: 'verdicts.list', input } as const;
  const pages = usePages('verdicts.list', input);
  const verdicts = pages.data?.pages.flatMap((page) => page.verdicts) ?? [];
  const judge = useAction('verdicts.judge', {
    changes: VERDICT_ANSWERS,
    onDone: ({ judge_id, result }) => showToast(texts.judged(judge_id, evaluation.results[result])),
  });
  return (
    <Section
      title={texts.title}
      note={verdicts.length > 0 ? texts.note(verdicts.length) : undefined}
      bleed
      actions={
        <>
          <JudgeNow isBusy={judge.isPending} onJudge={(judge_id) => judge.mutate({ trace_id: traceId, judge_id })} />
          <CopyAs call={call} />
        </>
      }
    >
      {judge.error ? (
        <div className={styles.none}>
          <ErrorState error={judge.error} isAction />
        </div>
      ) : null}
      <Loaded answer={pages} call={call} rows={2}>
        {() =>
          verdicts.length === 0 ? (
            <p className={`${styles.none} third`}>{texts.none}</p>
          ) : (
            <div>
              {verdicts.map((verdict) => (
                <ShownVerdict key={verdict.verdict_id} verdict={verdict} />
              ))}
            </div>
          )
        }
      </Loaded>
      <ShowMore pages={pages} />
    </Section>
  );
}

/** Judges are for who sees the whole account. */
function JudgeNow({ isBusy, onJudge }: { isBusy: boolean; onJudge: (judgeId: string) => void }) {
  const maySee = useInstalled([JUDGES]).get(JUDGES.name) === true;
  const judges = useOperation('judges.list', { limit: 100 }, { enabled: maySee });
  const items = judges.data?.judges.map(({ judge_id, name }) => ({
    id: judge_id,
    label: name,
    onSelect: () => onJudge(judge_id),
  }));
  if (!items || items.length === 0) return null;
  return (
    <Menu label={texts.judge} items={items} disabled={isBusy}>
      {texts.judge}
    </Menu>
  );
}

function ShownVerdict({ verdict }: { verdict: ListedVerdict }) {
  const { judge_id, judge_version, result, human, judge_result, score } = verdict;
  return (
    <article className={styles.verdict} aria-label={evaluation.verdicts.label(judge_id)}>
      <div className={styles.verdictHead}>
        <ResultTag result={result} />
        <span className="strong">
          <JudgeLink id={judge_id} />
        </span>
        <span className="third small">{evaluation.judges.version(judge_version)}</span>
        {human !== null && human.result !== judge_result && <Tag>{evaluation.verdicts.overruled}</Tag>}
        <span className="grow" />
        <span className="third small">
          {score !== null && `${evaluation.verdicts.facts.score} ${scoreText(score)}`}
        </span>
      </div>
      <VerdictDetails verdict={verdict} />
    </article>
  );
}

import { evaluation } from '../../texts/evaluation.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { type Fact, Facts, Section } from '../../ui/section.tsx';
import { type JudgeResults, type JudgeSummary, useEarlierResults, useJudgeResults } from './judge-results.ts';

const texts = evaluation.judges.results;

/** The share of traces that a judge passed. */
export function Passed({ found, when }: { found: JudgeSummary | undefined; when?: string | undefined }) {
  if (found === undefined || found.pass_rate.rate === null) return <span className="third">{texts.none}</span>;
  const { rate, of } = found.pass_rate;
  const counts = texts.counts(found);
  return <span title={when === undefined ? counts : `${counts}, ${when}`}>{texts.passed(rate, of)}</span>;
}

/** How many traces one judge passed lately, how sure that is, and how it was before. */
export function JudgePassed({ judgeId }: { judgeId: string }) {
  const results = useJudgeResults();
  const earlier = useEarlierResults();
  if (results === undefined) return null;
  return (
    <Section title={texts.title} actions={<CopyAs call={{ name: 'verdicts.summarize', input: {} }} />}>
      <Facts facts={factsOf(judgeId, results, earlier)} />
    </Section>
  );
}

function factsOf(judgeId: string, { of, when }: JudgeResults, earlier: JudgeResults | undefined): Fact[] {
  const found = of(judgeId);
  const { facts, interval } = texts;
  const isJudged = found !== undefined && found.pass_rate.rate !== null;
  return [
    { name: facts.now, value: <Passed found={found} when={when} /> },
    ...(isJudged ? [{ name: facts.interval, value: interval(found.pass_rate.low, found.pass_rate.high) }] : []),
    ...(earlier === undefined ? [] : [{ name: facts.before, value: <Passed found={earlier.of(judgeId)} /> }]),
  ];
}

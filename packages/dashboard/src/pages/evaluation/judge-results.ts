import type { Output } from '../../data/client.ts';
import { useInstalled } from '../../data/installed.ts';
import { useOperation } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { evaluation } from '../../texts/evaluation.ts';
import { dayAndTime } from '../../texts/format.ts';

const texts = evaluation.judges.results;

export type JudgeSummary = Output<'verdicts.summarize'>['judges'][number];

export type JudgeResults = {
  of: (judgeId: string) => JudgeSummary | undefined;
  /** Of which time, in words. */
  when: string;
};

/** Who sees the judges may ask it, where the module is installed. */
const VERDICTS = { name: 'verdicts.list', input: { limit: 1 } } as const;
const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

/** What judges found in the last seven days, in sum; undefined where that cannot be asked. */
export function useJudgeResults(): JudgeResults | undefined {
  const enabled = useInstalled([VERDICTS]).get(VERDICTS.name) === true;
  return resultsOf(useOperation('verdicts.summarize', {}, { enabled }).data);
}

/** The same of the seven days before those. */
export function useEarlierResults(): JudgeResults | undefined {
  const enabled = useInstalled([VERDICTS]).get(VERDICTS.name) === true;
  const hour = Math.floor(useNow() / HOUR_MS) * HOUR_MS;
  const until = new Date(hour - WEEK_MS).toISOString();
  return resultsOf(useOperation('verdicts.summarize', { until }, { enabled }).data);
}

function resultsOf(summary: Output<'verdicts.summarize'> | undefined): JudgeResults | undefined {
  if (summary === undefined) return undefined;
  const { judges, complete_since } = summary;
  return {
    of: (judgeId) => judges.find(({ judge_id }) => judge_id === judgeId),
    when: complete_since === null ? texts.recently : texts.newestSince(dayAndTime(complete_since)),
  };
}

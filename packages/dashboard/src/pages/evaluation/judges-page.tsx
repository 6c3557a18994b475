import { useBranchRefresh } from '../../data/use-refresh.ts';
import type { PageProps } from '../../pages.ts';
import { JUDGE_ANSWERS, JUDGE_EVENTS, VERDICT_EVENTS } from './evaluation-data.ts';
import { JudgeList } from './judge-list.tsx';
import { JudgePage } from './judge-page.tsx';

/** `#/judges` lists them, `#/judges/ID` shows one. */
export function JudgesPage({ rest }: PageProps) {
  useBranchRefresh(JUDGE_EVENTS, JUDGE_ANSWERS);
  useBranchRefresh(VERDICT_EVENTS, ['verdicts.summarize']);
  return rest === '' ? <JudgeList /> : <JudgePage key={rest} judgeId={rest} />;
}

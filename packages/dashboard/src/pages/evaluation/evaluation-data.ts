import type { OperationName, Output } from '../../data/client.ts';
import type { CopiedCall } from '../../data/copy-as.ts';
import { evaluation } from '../../texts/evaluation.ts';
import type { Tone } from '../../ui/marks.tsx';

export type ListedJudge = Output<'judges.list'>['judges'][number];
export type ListedVerdict = Output<'verdicts.list'>['verdicts'][number];
export type ShownResult = ListedVerdict['result'];
export type ListedBackfill = Output<'backfills.list'>['backfills'][number];

export const RESULTS = ['pass', 'fail', 'error', 'skipped'] as const satisfies readonly ShownResult[];

/** What changes when a judge does, or is asked. */
export const JUDGE_ANSWERS: readonly OperationName[] = ['judges.list', 'judges.read', 'judges.history', 'judges.diff'];
export const VERDICT_ANSWERS: readonly OperationName[] = ['verdicts.list', 'verdicts.read'];
export const BACKFILL_ANSWERS: readonly OperationName[] = ['backfills.list', 'backfills.read', ...VERDICT_ANSWERS];

export const JUDGE_EVENTS: ReadonlySet<string> = new Set(['judge_defined']);
export const VERDICT_EVENTS: ReadonlySet<string> = new Set(['traces_judged', 'verdict_overruled', 'backfill_ended']);
export const BACKFILL_EVENTS: ReadonlySet<string> = new Set(['backfill_started', 'backfill_ended', 'traces_judged']);

export const RESULT_TONES: Record<ShownResult, Tone> = { pass: 'good', fail: 'bad', error: 'warn', skipped: 'mute' };

/** Which traces a judge looks at, in words. */
export function targetOf({ for_agent, for_path }: Pick<ListedJudge, 'for_agent' | 'for_path'>): string {
  const { judges } = evaluation;
  const parts = [
    ...(for_agent === null ? [] : [judges.ofAgent(for_agent)]),
    ...(for_path === null ? [] : [judges.ofPath(for_path)]),
  ];
  return parts.length === 0 ? judges.all : parts.join(', ');
}

export const FIRST_DEFINITION = {
  kind: 'code',
  checks: [{ check: 'most', of: 'failed_tool_calls', limit: 0 }],
} as const;

/** Judges that are useful on any trace; those that are there already stay. */
export const STARTER_JUDGES: CopiedCall = { name: 'judges.seed', input: {} };

/** A judge that can be made as it is. */
export const FIRST_JUDGE: CopiedCall = {
  name: 'judges.create',
  input: { judge_id: 'no-failed-tools', name: 'No failed tools', definition: FIRST_DEFINITION },
};

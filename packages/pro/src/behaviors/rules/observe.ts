import { checkTrace } from '../../evaluation/rules/check.ts';
import type { Matchers } from '../../evaluation/rules/finding.ts';
import type { JudgedTrace } from '../../evaluation/rules/judged-trace.ts';
import { type FeatureCandidate, toolNames, withoutTool } from './candidates.ts';
import type { AroundRun } from './stand-out.ts';

/** Which candidates a trace has, and the tools that it calls. */
export type ObservedRun = AroundRun & { tools: ReadonlySet<string> };

export function* observe(
  candidates: readonly FeatureCandidate[],
  { trace, matchers, failed }: { trace: JudgedTrace; matchers: Matchers; failed: boolean | null },
): Generator<void, ObservedRun> {
  const has: boolean[] = [];
  for (const { check } of candidates) has.push((yield* checkTrace(check, trace, matchers)).holds === true);
  return { has, failed, tools: new Set(toolNames(trace)) };
}

/** A tool that so many of the traces call, and the example does not, is missing in it. */
const USUAL = 0.2;
const MAX_MISSING = 20;

/** What was not done is as much an act as what was: tools that are usual and that the example leaves out come first. */
export function withMissing(
  candidates: readonly FeatureCandidate[],
  runs: readonly ObservedRun[],
  example: number,
): { candidates: FeatureCandidate[]; runs: AroundRun[] } {
  const own = runs[example]?.tools ?? new Set();
  const counts = new Map<string, number>();
  for (const { tools } of runs) for (const tool of tools) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  const missing = [...counts]
    .filter(([tool, n]) => n >= USUAL * runs.length && !own.has(tool))
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .map(([tool]) => tool)
    .slice(0, MAX_MISSING);
  return {
    candidates: [...missing.map(withoutTool), ...candidates],
    runs: runs.map(({ has, failed, tools }) => ({ has: [...missing.map((tool) => !tools.has(tool)), ...has], failed })),
  };
}

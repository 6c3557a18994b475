import { type ShareDifference, twoProportions } from '../../evaluation/rules/two-proportions.ts';
import { type Rate, wilson } from '../../evaluation/rules/wilson.ts';

/** What a judge found in a trace, as far as a summary needs it. */
export type CountedVerdict = {
  trace_seq: number;
  judge_id: string;
  agent_id: string;
  result: string;
  judge_result: string;
  traced_at: number;
};

type Results = { pass: number; fail: number; error: number; skipped: number };
export type ResultCounts = Results & { pass_rate: Rate };
type Times = { since: number; until: number };

const MAX_JUDGES = 50;
const MAX_AGENTS = 10;
const PARTS = 7;

class VerdictTally {
  readonly #counts: Results = { pass: 0, fail: 0, error: 0, skipped: 0 };
  readonly #traces = new Set<number>();

  add({ result, trace_seq }: CountedVerdict): void {
    this.#counts[result as keyof Results]++;
    this.#traces.add(trace_seq);
  }

  get traces(): number {
    return this.#traces.size;
  }

  counts(): ResultCounts {
    const { pass, fail } = this.#counts;
    return { ...this.#counts, pass_rate: wilson(pass, pass + fail) };
  }
}

function tallied(tallies: Map<string, VerdictTally>, name: string): VerdictTally {
  const known = tallies.get(name) ?? new VerdictTally();
  tallies.set(name, known);
  return known;
}

/** Few cases say little: what fails surely is ahead of what may have failed by chance. */
const worstFirst = <T extends ResultCounts>(rows: readonly T[], idOf: (row: T) => string): T[] =>
  rows.toSorted((a, b) => a.pass_rate.high - b.pass_rate.high || b.fail - a.fail || (idOf(a) < idOf(b) ? -1 : 1));

/** Sums up verdicts of a time, one of each judge for a trace. */
export function summaryOf(verdicts: readonly CountedVerdict[], times: Times) {
  const all = new VerdictTally();
  const [judges, agents] = [new Map<string, VerdictTally>(), new Map<string, VerdictTally>()];
  const partMs = (times.until - times.since) / PARTS;
  const parts = Array.from({ length: PARTS }, () => new VerdictTally());
  const halves = [new VerdictTally(), new VerdictTally()] as const;
  for (const verdict of verdicts) {
    const at = Math.min(1, Math.max(0, (verdict.traced_at - times.since) / (times.until - times.since)));
    const part = parts[Math.min(PARTS - 1, Math.floor(at * PARTS))] as VerdictTally;
    const half = halves[at < 0.5 ? 0 : 1];
    const { judge_id, agent_id } = verdict;
    for (const tally of [all, part, half, tallied(judges, judge_id), tallied(agents, agent_id)]) tally.add(verdict);
  }
  const ofJudges = [...judges].map(([judge_id, tally]) => ({ judge_id, ...tally.counts() }));
  const ofAgents = [...agents].map(([agent_id, tally]) => ({ agent_id, traces: tally.traces, ...tally.counts() }));
  return {
    traces: all.traces,
    overruled: verdicts.filter(({ result, judge_result }) => result !== judge_result).length,
    ...all.counts(),
    judges: worstFirst(ofJudges, ({ judge_id }) => judge_id).slice(0, MAX_JUDGES),
    agents: worstFirst(ofAgents, ({ agent_id }) => agent_id).slice(0, MAX_AGENTS),
    trend: parts.map((tally, i) => {
      const { pass, fail, pass_rate } = tally.counts();
      const [since, until] = [times.since + i * partMs, times.since + (i + 1) * partMs].map(Math.round) as [
        number,
        number,
      ];
      return { since, until, pass, fail, pass_rate };
    }),
    change: changeOf(halves[0].counts().pass_rate, halves[1].counts().pass_rate),
  };
}

type TrendChange = ShareDifference & { earlier: Rate; later: Rate };

function changeOf(earlier: Rate, later: Rate): TrendChange | null {
  if (earlier.of === 0 || later.of === 0) return null;
  return { earlier, later, ...twoProportions({ a: later.count, ofA: later.of, b: earlier.count, ofB: earlier.of }) };
}

import { Fault, type judgeShapes, pause } from '@mem-service/server/module';
import { fitsPath, isFor, isSampled, judge, judgeInTurns, newMatchers } from '../evaluation/index.ts';
import { loadJudged, type TraceSource } from '../evaluation/load-traces.ts';
import type { WholeJudge } from '../judges/index.ts';
import { readDefinition } from '../judges/render.ts';
import { findKnown } from './known.ts';
import type { NewVerdict } from './save.ts';

export type ParsedJudge = WholeJudge & { parsed: judgeShapes.JudgeDefinition };

/** A judge that asks no model. */
export type CheckingJudge = WholeJudge & { parsed: judgeShapes.CheckedDefinition };
export type AskingJudge = WholeJudge & { parsed: judgeShapes.ModelDefinition };

export const asksModel = (one: ParsedJudge): one is AskingJudge => one.parsed.kind === 'llm';
const asksNone = (one: ParsedJudge): one is CheckingJudge => one.parsed.kind !== 'llm';

/** An account may have hundreds of judges with long definitions. One that cannot be read judges nothing, and stops no other. */
export async function parseJudges(judges: readonly WholeJudge[]): Promise<ParsedJudge[]> {
  const parsed: ParsedJudge[] = [];
  for (const one of judges) {
    await pause();
    const definition = readDefinition(one);
    if (!(definition instanceof Fault)) parsed.push({ ...one, parsed: definition });
  }
  return parsed;
}

/** A trace to be judged, and the least rate at which it is among the chosen ones. */
export type ChosenTrace = { seq: number; trace_id: string; agent_id: string };

type Judging = {
  judges: readonly ParsedJudge[];
  /** The share of the traces that each judge looks at. */
  rateOf: (judge: ParsedJudge) => number;
  isStopping: () => boolean;
};

/** Whether a judge is to look at a trace, as far as that can be known without reading it. */
export const isChosen = ({ trace_id, agent_id }: ChosenTrace, one: ParsedJudge, rate: number): boolean =>
  isSampled(trace_id, rate) && (one.for_agent === null || one.for_agent === agent_id);

/** Judges traces with those of the judges that ask no model, that they are for and that have not judged them yet. */
export async function judgeTraces(
  source: TraceSource,
  traces: readonly ChosenTrace[],
  { judges, rateOf, isStopping }: Judging,
): Promise<NewVerdict[]> {
  const wanted = new Map<number, CheckingJudge[]>();
  const checking = judges.filter(asksNone);
  const pairs = traces.flatMap((trace) =>
    checking
      .filter((one) => isChosen(trace, one, rateOf(one)))
      .map((one) => ({ one, key: { trace_seq: trace.seq, judge_id: one.judge_id, judge_version: one.version } })),
  );
  const known = await findKnown(
    source,
    pairs.map(({ key }) => key),
  );
  for (const { one, key } of pairs) {
    if (known(key)) continue;
    const list = wanted.get(key.trace_seq);
    if (list) list.push(one);
    else wanted.set(key.trace_seq, [one]);
  }
  const found: NewVerdict[] = [];
  if (wanted.size === 0) return found;
  for await (const trace of loadJudged(source, [...wanted.keys()])) {
    for (const one of wanted.get(trace.seq) ?? []) {
      if (isStopping()) return found;
      if (!isFor({ agent_id: one.for_agent, entity_path: one.for_path }, trace, fitsPath)) continue;
      const finding = await judgeInTurns(source.account_id, judge(one.parsed, trace, newMatchers()));
      const { seq, trace_id, is_partial } = trace;
      const place = { judge_id: one.judge_id, judge_version: one.version };
      found.push({ trace: { seq, trace_id, is_partial }, ...place, finding, model_call: null });
    }
    await pause();
  }
  return found;
}

import {
  Fault,
  type Handlers,
  type Input,
  invalidInput,
  type judgeShapes,
  type Output,
  pause,
  type ReadContext,
  reads,
  requireTrace,
  type Services,
} from '@mem-service/server/module';
import { type JudgedTrace, type JudgeFinding, judge, judgeInTurns, newMatchers } from '../evaluation/index.ts';
import { loadJudged } from '../evaluation/load-traces.ts';
import { namesOf } from '../evaluation/shown-memory.ts';
import { judgeByModel, modelOf } from '../outside-model/index.ts';
import { requireSound } from './changes.ts';
import { definitionIn, requireJudge } from './render.ts';

/** A model takes seconds for each, and costs. */
const MAX_ASKED = 5;

/** So many of an account are under way at once: each keeps the texts of a trace in memory, and they rest for each other. */
const MAX_AT_ONCE = 4;
const RETRY_S = 5;
const underWay = new Map<string, number>();

const dryRun = reads<'judges.dry_run'>(async (context, input) => {
  const { account_id } = context.caller;
  const others = underWay.get(account_id) ?? 0;
  if (others >= MAX_AT_ONCE)
    throw new Fault(
      'rate_limited',
      `${MAX_AT_ONCE} dry runs of the account are under way: try again when one has ended`,
      {
        retry_after: RETRY_S,
      },
    );
  underWay.set(account_id, others + 1);
  try {
    return await runDry(context, input);
  } finally {
    const left = (underWay.get(account_id) ?? 1) - 1;
    if (left > 0) underWay.set(account_id, left);
    else underWay.delete(account_id);
  }
});

async function runDry(context: ReadContext, input: Input<'judges.dry_run'>): Promise<Output<'judges.dry_run'>> {
  const { scan, dialect, caller, services } = context;
  const definition = await definitionOf(context, input);
  if (definition.kind === 'llm') requireAskable(services, definition, input.trace_ids.length);
  const rows = [];
  for (const traceId of new Set(input.trace_ids)) rows.push(await requireTrace(context, traceId));
  const found = new Map<string, TriedFinding>();
  const source = { query: scan, dialect, account_id: caller.account_id };
  const seqs = rows.map(({ seq }) => seq);
  for await (const trace of loadJudged(source, seqs)) {
    found.set(trace.trace_id, await tryOn(context, definition, trace));
    await pause();
  }
  const results = rows.flatMap(({ trace_id }) => {
    const one = found.get(trace_id);
    return one ? [{ trace_id, one }] : [];
  });
  const named = await namesOf(
    context,
    results.map(({ one }) => one.entries),
  );
  return {
    results: results.map(({ trace_id, one }, i) => {
      const { entries: _, span_ids, ...rest } = one;
      return { trace_id, ...rest, span_ids: [...span_ids], memory: named[i] ?? [] };
    }),
  };
}

type TriedFinding = JudgeFinding & { partial: boolean; model_call: judgeShapes.JudgeModelCall | null };

async function tryOn(
  { services, caller }: ReadContext,
  definition: judgeShapes.JudgeDefinition,
  trace: JudgedTrace,
): Promise<TriedFinding> {
  if (definition.kind !== 'llm') {
    const finding = await judgeInTurns(caller.account_id, judge(definition, trace, newMatchers()));
    return { ...finding, partial: trace.is_partial, model_call: null };
  }
  const { account_id } = caller;
  const { finding, is_partial, model_call } = await judgeByModel(services, { account_id, definition, trace });
  return { ...finding, partial: is_partial, model_call };
}

/** A server that only reads cannot count what is spent. */
function requireAskable(services: Services, { model }: judgeShapes.ModelDefinition, traces: number): void {
  if (traces > MAX_ASKED)
    throw invalidInput([{ path: 'trace_ids', message: `a model is asked about at most ${MAX_ASKED} traces at once` }]);
  if (services.replica) throw services.replica.refusal();
  modelOf(services, model);
}

type GivenJudge = { judge_id?: string | undefined; definition?: judgeShapes.JudgeDefinition | undefined };

async function definitionOf({ read, caller }: ReadContext, { judge_id, definition }: GivenJudge) {
  if ((judge_id === undefined) === (definition === undefined))
    throw invalidInput([{ path: 'definition', message: 'give either a definition or a judge_id' }]);
  if (definition === undefined) return definitionIn(await requireJudge(read, caller.account_id, judge_id as string));
  requireSound(definition);
  return definition;
}

export const dryRunHandlers: Handlers = { 'judges.dry_run': dryRun };

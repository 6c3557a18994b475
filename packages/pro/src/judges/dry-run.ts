import {
  type Handlers,
  inTurns,
  invalidInput,
  type judgeShapes,
  pause,
  type ReadContext,
  reads,
  requireTrace,
} from '@mem-service/server/module';
import { type JudgeFinding, judge, newMatchers } from '../evaluation/index.ts';
import { loadJudged } from '../evaluation/load-traces.ts';
import { namesOf } from '../evaluation/shown-memory.ts';
import { requireSound } from './changes.ts';
import { definitionIn, requireJudge } from './render.ts';

const dryRun = reads<'judges.dry_run'>(async (context, input) => {
  const { scan, dialect, caller } = context;
  const definition = await definitionOf(context, input);
  const rows = [];
  for (const traceId of new Set(input.trace_ids)) rows.push(await requireTrace(context, traceId));
  const found = new Map<string, JudgeFinding & { partial: boolean }>();
  const source = { query: scan, dialect, account_id: caller.account_id };
  const seqs = rows.map(({ seq }) => seq);
  for await (const trace of loadJudged(source, seqs)) {
    found.set(trace.trace_id, {
      ...(await inTurns(judge(definition, trace, newMatchers()))),
      partial: trace.is_partial,
    });
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
});

type GivenJudge = { judge_id?: string | undefined; definition?: judgeShapes.JudgeDefinition | undefined };

async function definitionOf({ read, caller }: ReadContext, { judge_id, definition }: GivenJudge) {
  if ((judge_id === undefined) === (definition === undefined))
    throw invalidInput([{ path: 'definition', message: 'give either a definition or a judge_id' }]);
  if (definition === undefined) return definitionIn(await requireJudge(read, caller.account_id, judge_id as string));
  requireSound(definition);
  return definition;
}

export const dryRunHandlers: Handlers = { 'judges.dry_run': dryRun };

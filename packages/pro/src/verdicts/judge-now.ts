import {
  changed,
  Fault,
  type Handlers,
  hashedBy,
  prepares,
  requireTrace,
  unchanged,
  writes,
} from '@mem-service/server/module';
import { judge, judgeInTurns, newMatchers } from '../evaluation/index.ts';
import { loadOneJudged } from '../evaluation/load-traces.ts';
import { definitionIn, requireJudge } from '../judges/index.ts';
import { judgeOnce, modelOf } from '../outside-model/index.ts';
import { findVerdicts, type VerdictKey } from './queries.ts';
import { toVerdicts, type Verdict } from './render.ts';
import { isOpen } from './rules/open-verdict.ts';
import { type NewVerdict, saveVerdicts } from './save.ts';

/** What was found before the transaction; nothing where the trace was judged already. */
type Prepared = { key: VerdictKey; verdict: NewVerdict | undefined };

const judgeNow = writes<'verdicts.judge'>(async (work, { input, caller, prepared }) => {
  const { key, verdict } = prepared as Prepared;
  const saved = verdict ? await saveVerdicts(work, [verdict]) : [];
  const [row] = saved.length > 0 ? saved : await findVerdicts(work.tx, work.account_id, [key]);
  if (!row) throw new Fault('not_found', `there is no trace ${input.trace_id}`, { trace_id: input.trace_id });
  await work.waitForSent();
  const [answer] = await toVerdicts({ read: work.tx, caller, services: work.services }, [row]);
  if (saved.length === 0) return unchanged(answer as Verdict);
  return changed(answer as Verdict, { resource: (answer as Verdict).verdict_id, ...hashedBy(answer) });
});

export const judgeHandlers: Handlers = {
  'verdicts.judge': prepares<'verdicts.judge'>(async (services, input, caller): Promise<Prepared> => {
    const { account_id } = caller;
    const { read, scan } = services.database.forAccount(account_id);
    const { trace_id, judge_id } = input;
    const { seq } = await requireTrace({ read, caller, services }, trace_id, { judge_id });
    const chosen = await requireJudge(read, account_id, judge_id);
    const key = { trace_seq: seq, judge_id: chosen.judge_id, judge_version: chosen.version };
    const [known] = await findVerdicts(read, account_id, [key]);
    if (known && !isOpen(known)) return { key, verdict: undefined };
    const definition = definitionIn(chosen);
    // Before the trace is read: without a model nothing comes of it.
    if (definition.kind === 'llm') modelOf(services, definition.model);
    const trace = await loadOneJudged({ query: scan, dialect: services.database.dialect, account_id }, seq);
    if (!trace) throw new Fault('not_found', `there is no trace ${input.trace_id}`, { trace_id: input.trace_id });
    const { trace_seq: _, ...place } = key;
    if (definition.kind === 'llm') {
      const found = await judgeOnce(services, { account_id, definition, trace, ...place });
      if (!found) return { key, verdict: undefined };
      const { finding, model_call, is_partial } = found;
      return { key, verdict: { trace: { ...trace, is_partial }, ...place, finding, model_call } };
    }
    const finding = await judgeInTurns(account_id, judge(definition, trace, newMatchers()));
    return { key, verdict: { trace, ...place, finding, model_call: null } };
  }, judgeNow),
};

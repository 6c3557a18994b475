import {
  changed,
  Fault,
  type Handlers,
  hashedBy,
  inTurns,
  prepares,
  requireTrace,
  unchanged,
  writes,
} from '@mem-service/server/module';
import { judge, newMatchers } from '../evaluation/index.ts';
import { loadOneJudged } from '../evaluation/load-traces.ts';
import { definitionIn, requireJudge } from '../judges/index.ts';
import { findVerdicts, type VerdictKey } from './queries.ts';
import { toVerdicts, type Verdict } from './render.ts';
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
    const { seq } = await requireTrace({ read, caller, services }, input.trace_id);
    const chosen = await requireJudge(read, account_id, input.judge_id);
    const key = { trace_seq: seq, judge_id: chosen.judge_id, judge_version: chosen.version };
    const [known] = await findVerdicts(read, account_id, [key]);
    if (known) return { key, verdict: undefined };
    const definition = definitionIn(chosen);
    const trace = await loadOneJudged({ query: scan, dialect: services.database.dialect, account_id }, seq);
    if (!trace) throw new Fault('not_found', `there is no trace ${input.trace_id}`, { trace_id: input.trace_id });
    const finding = await inTurns(judge(definition, trace, newMatchers()));
    return {
      key,
      verdict: { trace, judge_id: chosen.judge_id, judge_version: chosen.version, finding, cost_usd: null },
    };
  }, judgeNow),
};

import {
  changed,
  type Handlers,
  hashedBy,
  prepares,
  requireTrace,
  type TraceFacts,
  unchanged,
  type Work,
  writes,
} from '@mem-service/server/module';
import { authorOf, requireJudge } from '../judges/index.ts';
import * as queries from './queries.ts';
import { toHuman } from './render.ts';

const overrule = writes<'verdicts.overrule'>(async (work, { input, caller, prepared }) => {
  const { account_id, tx, now } = work;
  const { trace_id, judge_id, result, reason } = input;
  const trace = prepared as TraceFacts;
  await requireJudge(tx, account_id, judge_id);
  const key = { account_id, trace_seq: trace.seq, judge_id };
  const [before] = await queries.findHumanVerdicts(tx, account_id, [key]);
  const isSame = before ? before.result === result && before.reason === reason : result === null;
  if (isSame) return unchanged({ trace_id, judge_id, human: before ? toHuman(before) : null, overruled: 0 });
  const author = authorOf(input, caller);
  const seq = emitOverruled(work, { trace, judge_id, result, author });
  const overruled = await queries.setResults(tx, key, result);
  const after: queries.HumanVerdictRow | undefined =
    result === null
      ? undefined
      : {
          ...{ ...key, result, reason, agent_id: author.agent_id, seq, created_at: now },
          ...{ trace_agent: trace.agent_id, visible_to: trace.visible_to },
        };
  if (after) work.send(tx.insertMany(queries.putHumanVerdicts, [after]));
  else work.send(queries.deleteHumanVerdict(tx, key));
  const answer = { trace_id, judge_id, human: after ? toHuman(after) : null, overruled };
  return changed(answer, { resource: `${trace_id}.${judge_id}`, ...hashedBy(answer) });
});

type Overruling = {
  trace: TraceFacts;
  judge_id: string;
  result: string | null;
  author: { agent_id: string; session: string };
};

function emitOverruled(work: Work, { trace, judge_id, result, author }: Overruling): number {
  const { agent_id, branch, visible_to, seq } = trace;
  return work.emit({
    event_type: 'verdict_overruled',
    ...{ agent_id, branch, visible_to, entity_path: null, key: null, version: null },
    details: { judge_id, result, traces: [seq] },
    session: author.session,
    actor_agent_id: author.agent_id,
  });
}

export const overruleHandlers: Handlers = {
  'verdicts.overrule': prepares<'verdicts.overrule'>((services, { trace_id, judge_id }, caller) => {
    const { read } = services.database.forAccount(caller.account_id);
    return requireTrace({ read, caller, services }, trace_id, { judge_id });
  }, overrule),
};

import { changed, type Handlers, hashedBy, unchanged, writes } from '@mem-service/server/module';
import { addJudges, authorOf } from './changes.ts';
import { findJudgeIds } from './queries.ts';
import { toJudge } from './render.ts';
import { STARTER_PACK } from './rules/starter-pack.ts';

const seed = writes<'judges.seed'>(async (work, { input, caller }) => {
  const { for_agent, prefix, sampling_rate, status } = input;
  const pack = STARTER_PACK.map(({ id, ...judge }) => ({
    ...{ ...judge, judge_id: `${prefix}${id}` },
    ...{ for_agent, for_path: null, sampling_rate, status },
  }));
  const ids = pack.map(({ judge_id }) => judge_id);
  const existing = await findJudgeIds(work.tx, { account_id: work.account_id, listed: work.dialect.texts(ids) });
  const missing = pack.filter(({ judge_id }) => !existing.includes(judge_id));
  if (missing.length === 0) return unchanged({ created: [], existing });
  const created = (await addJudges(work, missing, authorOf(input, caller))).map(toJudge);
  const answer = { created, existing };
  return changed(answer, { resource: `${prefix}*`, ...hashedBy(answer) });
});

export const seedHandlers: Handlers = { 'judges.seed': seed };

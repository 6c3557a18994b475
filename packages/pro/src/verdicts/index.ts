import { type AgentEraser, addStored, findTraces, type Module, type Work } from '@mem-service/server/module';
import { countJudged } from './count.ts';
import { judgeSealed } from './follow-log.ts';
import { judgeSealedByModel } from './follow-models.ts';
import { judgeHandlers } from './judge-now.ts';
import { migrations } from './migrations.ts';
import { overruleHandlers } from './overrule.ts';
import * as queries from './queries.ts';
import { readHandlers } from './reads.ts';
import { reportHandlers } from './reports.ts';
import { tables } from './tables.ts';

export { type AskingJudge, asksModel, isChosen, judgeTraces, type ParsedJudge, parseJudges } from './judge-traces.ts';
export {
  findVerdicts,
  listResults,
  listVerdicts,
  type ResultOfTrace,
  type VerdictKey,
  type VerdictPage,
  type VerdictRow,
} from './queries.ts';
export { toVerdicts, type Verdict, verdictIdOf } from './render.ts';
export { isOpen } from './rules/open-verdict.ts';
export {
  countSamples,
  type FailedVerdict,
  listFailedOf,
  listFailures,
  listSamples,
  type VerdictGroup,
  type VerdictSample,
} from './samples.ts';
export { type NewVerdict, saveVerdicts, saveWithinPlan, VERDICTS_AT_ONCE, versionsIn } from './save.ts';

/** A trace that only lost its payloads keeps its verdicts, without the words of a model. */
async function dropRemoved(work: Work, seqs: readonly number[]): Promise<void> {
  const { tx, account_id, dialect } = work;
  const traces = await findTraces(tx, account_id, seqs);
  const gone = seqs.filter((_, i) => !traces[i]);
  if (gone.length > 0) {
    const aged = { account_id, listed: dialect.numbers(gone) };
    addStored(work, { storage_bytes: -(await queries.sumOfTraces(tx, aged)) });
    await queries.deleteOfTraces(tx, aged);
  }
  const left = seqs.filter((_, i) => traces[i]);
  if (left.length > 0) {
    const aged = { account_id, listed: dialect.numbers(left) };
    addStored(work, { storage_bytes: -(await queries.sumModelReasons(tx, aged)) });
    await queries.eraseModelReasons(tx, aged);
  }
}

/** The declarations of the tables delete the verdicts. */
const erasesAgent: AgentEraser = {
  async erase(work, agent) {
    addStored(work, { storage_bytes: -(await queries.sumOfAgent(work.tx, agent)) });
  },
};

/** What judges and people found in traces. */
export const verdicts: Module = {
  name: 'verdicts',
  migrations,
  tables,
  handlers: { ...judgeHandlers, ...overruleHandlers, ...readHandlers, ...reportHandlers },
  consumers: [judgeSealed, judgeSealedByModel, countJudged],
  erasesAgent,
  followsTraces: dropRemoved,
};

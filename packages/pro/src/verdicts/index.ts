import { findTraces, type Module, type Work } from '@mem-service/server/module';
import { judgeSealed } from './follow-log.ts';
import { judgeHandlers } from './judge-now.ts';
import { migrations } from './migrations.ts';
import { overruleHandlers } from './overrule.ts';
import { deleteOfTraces } from './queries.ts';
import { readHandlers } from './reads.ts';
import { tables } from './tables.ts';

export { judgeTraces, type ParsedJudge, parseJudges } from './judge-traces.ts';
export { findVerdicts, listVerdicts, type VerdictKey, type VerdictPage, type VerdictRow } from './queries.ts';
export { toVerdicts, type Verdict, verdictIdOf } from './render.ts';
export { type NewVerdict, saveVerdicts, versionsIn } from './save.ts';

/** A trace that only lost its payloads keeps its verdicts. */
async function dropRemoved({ tx, account_id, dialect }: Work, seqs: readonly number[]): Promise<void> {
  const traces = await findTraces(tx, account_id, seqs);
  const gone = seqs.filter((_, i) => !traces[i]);
  if (gone.length > 0) await deleteOfTraces(tx, { account_id, listed: dialect.numbers(gone) });
}

/** What judges and people found in traces. */
export const verdicts: Module = {
  name: 'verdicts',
  migrations,
  tables,
  handlers: { ...judgeHandlers, ...overruleHandlers, ...readHandlers },
  consumers: [judgeSealed],
  followsTraces: dropRemoved,
};

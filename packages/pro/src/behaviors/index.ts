import { findTraces, type Module, type Work } from '@mem-service/server/module';
import { radiusHandlers } from './blast-radius.ts';
import { changeHandlers } from './changes.ts';
import { matchSealed } from './follow-log.ts';
import { fromTraceHandlers } from './from-trace.ts';
import { deleteOfTraces } from './looks.ts';
import { migrations } from './migrations.ts';
import { readHandlers } from './reads.ts';
import { tables } from './tables.ts';

export { type LookRow, listMatchesIn } from './looks.ts';
export { matchTraces, type NewLook } from './match-traces.ts';
export { type BehaviorRow, getBehavior, listWithoutIncidents } from './queries.ts';
export { requireBehavior } from './render.ts';
export { countLooks, type LookGroup, listLookSamples, listMatchSamples } from './samples.ts';
export { saveLooks } from './save.ts';

/** A trace that only lost its payloads keeps its behaviors. */
async function dropRemoved({ tx, account_id, dialect }: Work, seqs: readonly number[]): Promise<void> {
  const traces = await findTraces(tx, account_id, seqs);
  const gone = seqs.filter((_, i) => !traces[i]);
  if (gone.length > 0) await deleteOfTraces(tx, account_id, dialect.numbers(gone));
}

/** What agents do again and again: by a matcher, in traces of the past and new ones. */
export const behaviors: Module = {
  name: 'behaviors',
  migrations,
  tables,
  handlers: { ...changeHandlers, ...readHandlers, ...radiusHandlers, ...fromTraceHandlers },
  consumers: [matchSealed],
  followsTraces: dropRemoved,
};

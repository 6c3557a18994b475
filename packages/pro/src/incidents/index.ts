import { findTraces, type Module, type Work } from '@mem-service/server/module';
import { changeHandlers } from './changes.ts';
import { watchBehaviors } from './follow-behaviors.ts';
import { watchVerdicts } from './follow-log.ts';
import { migrations } from './migrations.ts';
import { deleteEndedWith } from './queries.ts';
import { readHandlers } from './reads.ts';
import { tables } from './tables.ts';

export { countOpened } from './queries.ts';
export { requireIncident } from './sight.ts';

/** An incident goes with the last trace that failed; what is counted in it is read from the traces that are left. */
async function dropEnded({ tx, account_id, dialect }: Work, seqs: readonly number[]): Promise<void> {
  const traces = await findTraces(tx, account_id, seqs);
  const gone = seqs.filter((_, i) => !traces[i]);
  if (gone.length > 0) await deleteEndedWith(tx, account_id, dialect.numbers(gone));
}

/** Where judges fail, or behaviors are found, more often than before. */
export const incidents: Module = {
  name: 'incidents',
  migrations,
  tables,
  handlers: { ...changeHandlers, ...readHandlers },
  consumers: [watchVerdicts, watchBehaviors],
  followsTraces: dropEnded,
};

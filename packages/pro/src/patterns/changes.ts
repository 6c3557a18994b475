import { changed, Fault, type Handlers, hashedBy, prepares, unchanged, writes } from '@mem-service/server/module';
import { authorOf } from '../judges/index.ts';
import * as queries from './queries.ts';
import { requireScan } from './reads.ts';
import { toPattern, toScan } from './render.ts';
import { emitPattern } from './save.ts';
import { readerOf, requirePattern } from './sight.ts';
import { endedScan, startScan } from './start.ts';

const MAX_WAITING = 10;

const create = writes<'pattern_scans.create'>(async (work, { input, caller }) => {
  const { entity_path = null, for_agent = null } = input;
  const { stale_days, orphan_days, pr_stale_days, similarity_threshold, incident_threshold } = input;
  if ((await queries.countRunning(work.tx, work.account_id)) >= MAX_WAITING)
    throw new Fault('conflict', `${MAX_WAITING} scans wait already: try again when one has ended, or cancel one`);
  const settings = { stale_days, orphan_days, pr_stale_days, similarity_threshold, incident_threshold };
  const row = await startScan(work, { for_path: entity_path, for_agent, settings }, authorOf(input, caller));
  const answer = toScan(row);
  return changed(answer, { resource: row.scan_id, ...hashedBy(answer) });
});

const cancel = writes<'pattern_scans.cancel'>(async (work, { input }) => {
  const row = await requireScan(work.tx, work.account_id, input.scan_id);
  if (row.status !== 'running') return unchanged(toScan(row));
  const after = endedScan(work, row, 'cancelled');
  work.send(work.tx.insertMany(queries.upsertScans, [after]));
  const answer = toScan(after);
  return changed(answer, { resource: row.scan_id, ...hashedBy(answer) });
});

const resolve = writes<'detected_patterns.resolve'>(async (work, { input, caller, prepared }) => {
  const seen = prepared as queries.DetectedRow;
  const before = (await queries.getPattern(work.tx, work.account_id, seen.pattern_id)) ?? seen;
  if (before.status === 'resolved') return unchanged(toPattern(before));
  const author = authorOf(input, caller);
  const resolved_seq = emitPattern(work, { event_type: 'pattern_resolved', pattern: before, author });
  const row = {
    ...{ ...before, status: 'resolved', resolved_seq, resolved_at: work.now, resolved_by: author.agent_id },
    ...{ reason: input.reason, updated_at: work.now },
  };
  work.send(work.tx.insertMany(queries.upsertPatterns, [row]));
  const answer = toPattern(row);
  const { after: hashed } = hashedBy(toPattern(before));
  return changed(answer, { resource: row.pattern_id, before: hashed, after: hashedBy(answer).after });
});

export const changeHandlers: Handlers = {
  'pattern_scans.create': create,
  'pattern_scans.cancel': cancel,
  'detected_patterns.resolve': prepares<'detected_patterns.resolve'>(
    (services, { pattern_id }, caller) => requirePattern(readerOf(services, caller), pattern_id),
    resolve,
  ),
};

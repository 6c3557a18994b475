import { parseGlob } from '@mem-service/contract';
import { sql } from '../../db/index.ts';
import { EVERYONE, type Handlers, type Module, pathWithin, toIso, type Work, writes } from '../../kernel/index.ts';
import { changeCounts } from '../counts/index.ts';
import { authorOf } from '../entries/index.ts';
import { deleteWords, rowidOf } from '../text/index.ts';
import { compact } from './compact.ts';
import * as queries from './queries.ts';

const erase = writes<'entries.erase'>(async (work, { input, caller }) => {
  const author = authorOf(input, caller);
  const places = pathWithin(parseGlob(input.entity_path));
  if (input.key !== undefined) places.push(sql`key = ${input.key}`);
  const target = { account_id: work.account_id, branch: input.branch, agent_id: author.agent_id, places };
  const doomed = await queries.listDoomed(work.tx, target);
  const request = { dry_run: input.dry_run, entity_path: input.entity_path, key: input.key ?? null };
  const index_rows = doomed.filter((row) => row.deleted === 0).length;
  if (input.dry_run) {
    const versions = await queries.countVersions(work.tx, target);
    const commits = await queries.countCommits(work.tx, target);
    const stored_answers = await queries.countAnswers(work.tx, target);
    const erased = { entries: doomed.length, versions, index_rows, log_events: versions, stored_answers, commits };
    return { ...request, erased, receipt_id: null, erased_at: null };
  }
  await forget(work, doomed);
  const log_events = await queries.redactEvents(work.tx, target);
  const stored_answers = await queries.deleteAnswers(work.tx, target);
  const commits = await queries.deleteCommits(work.tx, target);
  const versions = await queries.deleteEntries(work.tx, target);
  const erased = { entries: doomed.length, versions, index_rows, log_events, stored_answers, commits };
  const receipt_id = work.services.ids.next(work.now);
  work.emit({
    event_type: 'erase',
    agent_id: author.agent_id,
    branch: input.branch,
    entity_path: null,
    key: null,
    version: null,
    visible_to: EVERYONE,
    details: { receipt_id, ...erased },
  });
  return { ...request, erased, receipt_id, erased_at: toIso(work.now) };
});

/** Takes the entries out of the counts and, where it is a table of its own, out of the index. */
async function forget(work: Work, doomed: readonly queries.Doomed[]): Promise<void> {
  await changeCounts(
    work,
    doomed.map((row) => ({ before: row, after: { ...row, deleted: 1 } })),
  );
  if (work.dialect.engine !== 'sqlite') return;
  for (const row of doomed) if (row.deleted === 0) await deleteWords(work.tx, rowidOf(work.account.number, row.seq));
}

const handlers: Handlers = { 'entries.erase': erase };

export const erasure: Module = {
  name: 'erasure',
  migrations: [],
  handlers,
  jobs: [{ name: 'compact', after: 'erase', run: compact }],
};

import type { Work } from '../../kernel/index.ts';
import { forgetPaths } from '../activity/index.ts';
import { forgetCounts } from '../counts/index.ts';
import { countEdges, forgetEdges } from '../graph/index.ts';
import { countEvidence, eraseEvidence } from '../outcomes/index.ts';
import { countItemsOf, forgetItems } from '../sessions/index.ts';
import { deleteWords, rowidOf } from '../text/index.ts';
import { countItems, eraseItems } from '../traces/index.ts';
import { markUncompacted } from './compact.ts';
import * as queries from './queries.ts';

type Doomed = readonly queries.Doomed[];
const indexedOf = (doomed: Doomed) => doomed.filter((row) => row.deleted === 0);

async function reachOf({ tx, dialect }: Work, target: queries.Target) {
  const ids = await queries.listReached(tx, target);
  return { ...target, entryIds: dialect.numbers(ids), isAboutDoomed: queries.isAboutDoomed(target) };
}

/** What `removeEntries` would say it has removed. */
export async function foresee(work: Work, target: queries.Target, doomed: Doomed) {
  const { tx } = work;
  const erased = await reachOf(work, target);
  const ids = doomed.map(({ entry_id }) => entry_id);
  const versions = await queries.countVersions(tx, target);
  return {
    entries: doomed.length,
    versions,
    index_rows: indexedOf(doomed).length,
    log_events: versions + (await queries.countEvents(tx, target)),
    stored_answers: await queries.countAnswers(tx, target),
    commits: await queries.countCommits(tx, target),
    session_records: await countItemsOf(work, erased),
    evidence: await countEvidence(tx, erased),
    trace_parts: await countItems(tx, erased),
    edges: await countEdges(work, target, ids),
  };
}

/** The entries that are to go, with all that names them. */
export async function removeEntries(work: Work, target: queries.Target & { receipt_id: string }, doomed: Doomed) {
  const { tx } = work;
  const erased = await reachOf(work, target);
  const ids = doomed.map(({ entry_id }) => entry_id);
  const session_records = await forgetItems(work, erased);
  const edges = await forgetEdges(work, target, ids);
  const trace_parts = await eraseItems(tx, erased);
  const evidence = await eraseEvidence(tx, erased);
  await queries.redactAudit(tx, target);
  await forgetPaths(
    tx,
    target.account_id,
    doomed.map(({ entity_path }) => entity_path),
  );
  const log_events = await queries.redactEvents(tx, target);
  const stored_answers = await queries.deleteAnswers(tx, target);
  const commits = await queries.deleteCommits(tx, target);
  const versions = await queries.deleteEntries(tx, target);
  await forgetCounts(work, target.branch, doomed);
  const indexed = indexedOf(doomed);
  if (work.dialect.engine === 'sqlite') await removeWords(work, indexed);
  return {
    entries: doomed.length,
    versions,
    index_rows: indexed.length,
    log_events,
    stored_answers,
    commits,
    session_records,
    evidence,
    trace_parts,
    edges,
  };
}

/** On PostgreSQL the words are columns of the entry and go with it. */
async function removeWords({ tx, account }: Work, indexed: Doomed): Promise<void> {
  for (const row of indexed) await deleteWords(tx, rowidOf(account.number, row.seq));
  await markUncompacted(tx);
}

import { parseGlob } from '@mem-service/contract';
import { sql } from '../../db/index.ts';
import {
  alone,
  EVERYONE,
  type Handlers,
  type Module,
  pathWithin,
  settled,
  toIso,
  type Work,
  writes,
} from '../../kernel/index.ts';
import { forgetCounts } from '../counts/index.ts';
import { authorOf } from '../entries/index.ts';
import { countEdges, forgetEdges } from '../graph/index.ts';
import { countEvidence, eraseEvidence } from '../outcomes/index.ts';
import { countItemsOf, forgetItems } from '../sessions/index.ts';
import { deleteWords, rowidOf } from '../text/index.ts';
import { countItems, eraseItems } from '../traces/index.ts';
import { compactions } from './compact.ts';
import * as queries from './queries.ts';

const erase = writes<'entries.erase'>(async (work, { input, caller }) => {
  const { branch, entity_path, key, dry_run } = input;
  const author = authorOf(input, caller);
  const target: queries.Target = {
    account_id: work.account_id,
    branch,
    agent_id: author.agent_id,
    paths: pathWithin(parseGlob(entity_path)),
    keys: key === undefined ? [] : [sql`key = ${key}`],
  };
  const request = { dry_run, entity_path, key: key ?? null };
  const doomed = await queries.listDoomed(work.tx, target);
  if (dry_run) return { ...request, erased: await foresee(work, target, doomed), receipt_id: null, erased_at: null };
  const receipt_id = work.services.ids.next(work.now);
  const erased = await remove(work, { ...target, receipt_id }, doomed);
  work.emit({
    event_type: 'erase',
    agent_id: author.agent_id,
    branch,
    entity_path: null,
    key: null,
    version: null,
    // Who may not see an entry learns nothing of its end either.
    visible_to: doomed.length > 0 && doomed.every((row) => row.shared === 0) ? author.agent_id : EVERYONE,
    details: { receipt_id, ...erased },
  });
  return { ...request, erased, receipt_id, erased_at: toIso(work.now) };
});

type Doomed = readonly queries.Doomed[];
const indexedOf = (doomed: Doomed) => doomed.filter((row) => row.deleted === 0);

async function reachOf({ tx, dialect }: Work, target: queries.Target) {
  const ids = await queries.listReached(tx, target);
  return { ...target, entryIds: dialect.numbers(ids), isAboutDoomed: queries.isAboutDoomed(target) };
}

async function foresee(work: Work, target: queries.Target, doomed: Doomed) {
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

async function remove(work: Work, target: queries.Target & { receipt_id: string }, doomed: Doomed) {
  const { tx } = work;
  const erased = await reachOf(work, target);
  const ids = doomed.map(({ entry_id }) => entry_id);
  const session_records = await forgetItems(work, erased);
  const edges = await forgetEdges(work, target, ids);
  const trace_parts = await eraseItems(tx, erased);
  const evidence = await eraseEvidence(tx, erased);
  await queries.redactAudit(tx, target);
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
  await queries.setUncompacted(tx, (await queries.countUncompacted(tx)) + 1);
}

/** Everything that was noted or written before it is in the store, so that it finds all names there are. */
const handlers: Handlers = { 'entries.erase': alone(settled('for all', erase)) };

export const erasure: Module = {
  name: 'erasure',
  migrations: [],
  handlers,
  jobs: compactions,
};

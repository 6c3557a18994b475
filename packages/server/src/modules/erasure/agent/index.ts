import type { Output } from '@mem-service/contract';
import { parseGlob } from '@mem-service/contract';
import { sql } from '../../../db/index.ts';
import {
  ADMINS,
  alone,
  changed,
  type Handler,
  hashedBy,
  pathWithin,
  toIso,
  unchanged,
  type Work,
  writes,
} from '../../../kernel/index.ts';
import { forgetAgent } from '../../activity/index.ts';
import { countAgentEdges, forgetAgentEdges } from '../../graph/index.ts';
import { forgetTraceWords } from '../../traces/index.ts';
import { markUncompacted } from '../compact.ts';
import { removeEntries } from '../entries.ts';
import * as queries from './queries.ts';

type Receipt = Output<'agents.erase'>;

/** Everything that was noted or written before it is in the store, so that it finds all there is. */
export const eraseAgent: Handler<'agents.erase'> = alone(
  writes<'agents.erase'>(async (work, { input, caller }) => {
    const { agent_id, with_others, dry_run } = input;
    const forgotten = { account_id: work.account_id, agent_id };
    const authored = await queries.listAuthored(work.tx, forgotten);
    const doomed = authored.filter(({ by_others }) => with_others || by_others === 0);
    const left_with_others = authored.length - doomed.length;
    const erased = await foresee(work, forgotten, doomed);
    if (dry_run) return unchanged({ receipt_id: null, dry_run, agent_id, erased, left_with_others, erased_at: null });
    const receipt_id = work.services.ids.next(work.now);
    const renamed = { ...forgotten, receipt_id, alias: `erased/${receipt_id}` };
    for (const row of doomed) await removeOne(work, row, receipt_id);
    await forget(work, renamed);
    work.emit({
      event_type: 'erase',
      ...{ branch: 'main', entity_path: null, key: null, version: null, visible_to: ADMINS },
      agent_id: caller.agent_id === agent_id ? renamed.alias : caller.agent_id,
      details: { receipt_id, ...erased },
    });
    const receipt = { receipt_id, dry_run, agent_id, erased, left_with_others, erased_at: toIso(work.now) };
    return changed(receipt, { resource: receipt_id, ...hashedBy(receipt) });
  }),
);

async function foresee(
  work: Work,
  forgotten: queries.Forgotten,
  doomed: readonly queries.Authored[],
): Promise<Receipt['erased']> {
  const { tx, account_id, dialect } = work;
  const ids = dialect.numbers(doomed.map(({ entry_id }) => entry_id));
  return {
    entries: doomed.length,
    versions: await queries.countVersions(tx, account_id, ids),
    sessions: await queries.countOwn(tx, 'sessions', forgotten),
    traces: await queries.countOwn(tx, 'traces', forgotten),
    log_events: await queries.countOwn(tx, 'events', forgotten),
    edges: await countAgentEdges(work, forgotten.agent_id),
    profiles: await queries.countOwn(tx, 'agent_profiles', forgotten),
    outcomes: await queries.countOwn(tx, 'outcomes', forgotten),
    commits: await queries.countOwn(tx, 'commits', forgotten),
    audit_lines: await queries.countOwn(tx, 'audit', forgotten),
  };
}

/** As if it were erased by its name. */
async function removeOne(work: Work, row: queries.Authored, receipt_id: string): Promise<void> {
  const { account_id } = work;
  const { branch, agent_id, entity_path, key } = row;
  const paths = pathWithin(parseGlob(entity_path));
  await removeEntries(work, { account_id, branch, agent_id, paths, keys: [sql`key = ${key}`], receipt_id }, [row]);
}

async function forget(work: Work, renamed: queries.Renamed): Promise<void> {
  const { tx, account_id, dialect } = work;
  const { agent_id, alias } = renamed;
  await forgetAgentEdges(work, agent_id);
  if (dialect.engine === 'sqlite') {
    const seqs = await queries.listTraceSeqs(tx, renamed);
    await forgetTraceWords(
      work,
      seqs.map(({ seq }) => seq),
    );
    await markUncompacted(tx);
  }
  await queries.deleteOwn(tx, renamed);
  await queries.renameInLog(tx, renamed);
  await queries.renameInLedger(tx, renamed);
  await queries.renameElsewhere(tx, renamed);
  await queries.renameInAudit(tx, renamed);
  await queries.deleteAnswers(tx, renamed);
  await forgetAgent(tx, account_id, agent_id);
  for (const row of await queries.listStandings(tx, renamed))
    await queries.setStanding(tx, account_id, { ...row, standing: replaced(row.standing, agent_id, alias) });
}

/** Who has vouched for an entry stands in what is known of it. */
const replaced = (standing: string, agentId: string, alias: string): string =>
  JSON.stringify(JSON.parse(standing, (_name, value) => (value === agentId ? alias : value)));

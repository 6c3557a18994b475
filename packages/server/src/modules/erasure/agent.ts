import {
  ADMINS,
  type AgentErasureCounts,
  addToCounts,
  changed,
  type EntryHead,
  type ErasedAgent,
  exclusive,
  type Handler,
  hashedBy,
  requireAllModules,
  toIso,
  unchanged,
  type Work,
  writes,
} from '../../kernel/index.ts';
import { type AuthoredEntry, countVersionsOf, erasedEntries, listAuthored } from '../entries/index.ts';
import { markUncompacted } from './compact.ts';
import { countingWork, eraseEntries } from './entries.ts';
import { countNamed, deleteNaming, renameIn } from './queries.ts';

/** Runs after all earlier notes and writes are stored, so that it finds everything. */
export const eraseAgent: Handler<'agents.erase'> = exclusive(
  writes<'agents.erase'>(async (work, { input, caller }) => {
    requireAllModules(work.services);
    const { agent_id, with_others, dry_run } = input;
    const authored = await loadAuthored(work, agent_id);
    const heads = authored.filter(({ by_others }) => with_others || by_others === 0);
    const left_with_others = authored.length - heads.length;
    const erased = await countAgent(work, agent_id, heads);
    if (dry_run) return unchanged({ receipt_id: null, dry_run, agent_id, erased, left_with_others, erased_at: null });
    const receipt_id = work.services.ids.next(work.now);
    const agent = { account_id: work.account_id, agent_id, alias: `erased/${receipt_id}`, receipt_id };
    await eraseEntries(work, erasedEntries(work, heads, receipt_id));
    await eraseAgentRows(work, agent);
    work.emit({
      event_type: 'erase',
      ...{ branch: 'main', entity_path: null, key: null, version: null, visible_to: ADMINS },
      agent_id: caller.agent_id === agent_id ? agent.alias : caller.agent_id,
      details: { receipt_id, ...erased },
    });
    const receipt = { receipt_id, dry_run, agent_id, erased, left_with_others, erased_at: toIso(work.now) };
    return changed(receipt, { resource: receipt_id, ...hashedBy(receipt) });
  }),
);

const AUTHORED_AT_ONCE = 1000;

async function loadAuthored(work: Work, agent_id: string): Promise<AuthoredEntry[]> {
  const { tx, account_id } = countingWork(work);
  const authored: AuthoredEntry[] = [];
  for (;;) {
    const after = authored.at(-1)?.entry_id ?? 0;
    const page = await listAuthored(tx, { account_id, agent_id }, { after, limit: AUTHORED_AT_ONCE });
    for (const entry of page) authored.push(entry);
    if (page.length < AUTHORED_AT_ONCE) return authored;
  }
}

async function countAgent(work: Work, agent_id: string, heads: readonly EntryHead[]): Promise<AgentErasureCounts> {
  const { account_id, services } = work;
  const counting = countingWork(work);
  const counts: AgentErasureCounts = {
    entries: heads.length,
    versions: await countVersionsOf(counting, heads),
    sessions: 0,
    traces: 0,
    log_events: 0,
    edges: 0,
    profiles: 0,
    outcomes: 0,
    commits: 0,
    audit_lines: 0,
  };
  for (const { table, agents = {} } of services.tables)
    for (const [column, declared] of Object.entries(agents))
      if ('erased' in declared && declared.counted_as)
        addToCounts(counts, {
          [declared.counted_as]: await countNamed(counting.tx, { table, column }, { account_id, agent_id }),
        });
  for (const eraser of services.erasers.agents)
    addToCounts(counts, await eraser.count?.(counting, { account_id, agent_id }));
  return counts;
}

const ROWS_AT_ONCE = 2000;

/** Repeats a statement that changes up to so many rows, each of them once. */
async function inParts(change: (limit: number) => Promise<number>): Promise<void> {
  while ((await change(ROWS_AT_ONCE)) === ROWS_AT_ONCE);
}

/** Deletes what belongs only to the agent; rows that others depend on get an alias instead of its name. */
async function eraseAgentRows(work: Work, agent: ErasedAgent): Promise<void> {
  const { tx, services } = work;
  for (const eraser of services.erasers.agents) await eraser.erase(work, agent);
  for (const { table, key, agents = {} } of services.tables)
    for (const [column, declared] of Object.entries(agents)) {
      if ('kept' in declared || declared.erased === 'by its owner') continue;
      const place = { table, column, key };
      if (declared.erased === 'rename')
        await inParts((limit) => renameIn(tx, { ...place, also: declared.also?.(agent) ?? {}, limit }, agent));
      else await inParts((limit) => deleteNaming(tx, { ...place, limit }, agent));
    }
  if (work.dialect.engine === 'sqlite') await markUncompacted(tx);
}

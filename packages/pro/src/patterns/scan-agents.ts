import { activeAgents, listEventsOf, sql } from '@mem-service/server/module';
import { type AgentActivity, passiveConsumer } from './rules/passive-consumer.ts';
import { DAY_MS } from './rules/path-facts.ts';
import type { ScanRun } from './scan-run.ts';

const AGENTS_AT_ONCE = 50;
const EVENTS_AT_ONCE = 500;
/** Of an agent with more events only so many are looked at. */
const MOST_EVENTS = 2000;

/** What others have something of. */
const CONTRIBUTIONS: ReadonlySet<string> = new Set([
  ...['write', 'delete', 'commit', 'outcome', 'edge_added', 'golden_query_added', 'consolidation_proposed'],
  ...['branch_created', 'branch_merged', 'pull_request_opened', 'pull_request_reviewed', 'cherry_pick', 'rollback'],
  ...['webhook_ingested', 'verdict_overruled', 'judge_defined', 'behavior_defined', 'fix_proposed'],
]);

type SeenAgentRow = { agent_id: string; first_at: number };

/** Goes through the agents whose activity everyone may see. */
export async function scanAgents(run: ScanRun): Promise<void> {
  let after = run.row.phase === 'agents' ? (run.row.place ?? '') : '';
  for (let isLast = false; !isLast && !run.isOver; ) {
    const page = { visible_to: '', after, limit: AGENTS_AT_ONCE };
    const agents = await run.query.all<SeenAgentRow>(
      sql`SELECT agent_id, first_at FROM (${activeAgents(run.row.account_id, page)}) AS seen ORDER BY agent_id`,
    );
    isLast = agents.length < AGENTS_AT_ONCE;
    for (const agent of agents) {
      if (run.isOver) return;
      const finding = passiveConsumer(await activityOf(run, agent), run.terms);
      if (finding) run.report(finding);
      run.count('scanned_agents');
      after = agent.agent_id;
      await run.endOfPart({ phase: 'agents', place: after });
    }
  }
}

/** Up to its first contribution: more need not be known. */
async function activityOf(
  { query, row, terms }: ScanRun,
  { agent_id, first_at }: SeenAgentRow,
): Promise<AgentActivity> {
  const days = new Set<number>();
  let reads = 0;
  let after = terms.recent_seq - 1;
  for (let looked = 0; looked < MOST_EVENTS; ) {
    const part = { account_id: row.account_id, agent_id, after, limit: EVENTS_AT_ONCE };
    const events = await listEventsOf(query, part);
    const own = events.filter(({ actor_agent_id }) => actor_agent_id === null || actor_agent_id === agent_id);
    const contributions = own.filter(({ event_type }) => CONTRIBUTIONS.has(event_type)).length;
    for (const { event_type, created_at } of own) {
      if (event_type !== 'cross_agent_read') continue;
      reads += 1;
      days.add(Math.floor(created_at / DAY_MS));
    }
    if (contributions > 0) return { agent_id, first_at, reads, days: days.size, contributions };
    if (events.length < EVENTS_AT_ONCE) break;
    looked += events.length;
    after = events.at(-1)?.seq ?? after;
  }
  return { agent_id, first_at, reads, days: days.size, contributions: 0 };
}

import { type Input, jsonBytes } from '@mem-service/contract';
import {
  branchOf,
  bytesOfTexts,
  cursorsOf,
  cutPage,
  type Handlers,
  pageBytes,
  type ReadContext,
  reads,
  type SeenAgent,
  startWithin,
  toIso,
  toIsoOrNull,
} from '../../kernel/index.ts';
import { countWritten } from '../counts/index.ts';
import { type DeclaredProfile, type ListedProfile, listDeclared, listProfiles } from '../profiles/index.ts';
import * as queries from './queries.ts';
import { type AgentMatch, byScore, type Capability, matchAgent } from './rules/discovery.ts';
import { capabilitiesInScope, withDescribedAgents, writersInScope } from './scoped-agents.ts';

const cursors = cursorsOf('agents.list', ['string']);

const list = reads<'agents.list'>(async (context, input) => {
  const { read, caller, services } = context;
  const { account_id, agent_id: viewer } = caller;
  const page = { after: input.cursor === undefined ? '' : cursors.from(input.cursor)[0], limit: input.limit + 1 };
  const writers = await writersInScope(context, page);
  const [rows, profiles] = await Promise.all([
    writers ? withDescribedAgents(context, writers, page) : queries.listAgents(read, { account_id, viewer }, page),
    listProfiles(read, account_id, page),
  ]);
  const described = new Map(profiles.map((profile) => [profile.agent_id, profile]));
  const seen = together(rows);
  const found = startWithin(seen, pageBytes(services), ({ agent_id }) => sizeOf(agent_id, described.get(agent_id)));
  const more = found.length < seen.length;
  const { items, ...rest } = cutPage({ rows: found, more }, input.limit, (row) => cursors.to([row.agent_id]));
  const [first, last] = [items[0]?.agent_id, items.at(-1)?.agent_id];
  if (first === undefined || last === undefined) return { agents: [], ...rest };
  const written = new Map<string, number>(writers?.map(({ agent_id, n }) => [agent_id, n]));
  const scope = { account_id, viewer, branch: branchOf(context.view) };
  for (const { name, n } of writers ? [] : await countWritten(read, scope, { first, last }))
    written.set(name, (written.get(name) ?? 0) + n);
  const agents = items.map(({ agent_id, first_at, last_at }) => ({
    agent_id,
    entries_written: written.get(agent_id) ?? 0,
    last_active: toIsoOrNull(last_at),
    created_at: toIso(first_at),
    ...introduce(described.get(agent_id)),
  }));
  return { agents, ...rest };
});

/** Merges rows into one per agent, in the order of the rows. */
function together(rows: readonly SeenAgent[]): SeenAgent[] {
  const agents = new Map<string, SeenAgent>();
  for (const row of rows) {
    const known = agents.get(row.agent_id) ?? row;
    const last_at = Math.max(known.last_at ?? 0, row.last_at ?? 0);
    agents.set(row.agent_id, {
      agent_id: row.agent_id,
      first_at: Math.min(known.first_at, row.first_at),
      last_at: last_at === 0 ? null : last_at,
    });
  }
  return [...agents.values()];
}

/** About as much as an agent takes in a list. */
const AGENT_BYTES = 512;

const sizeOf = (agentId: string, { description = null, tags = '' }: Partial<ListedProfile> = {}): number =>
  AGENT_BYTES + jsonBytes(agentId) + jsonBytes(description ?? '') + bytesOfTexts([tags]);

type Introduction = Pick<ListedProfile, 'description' | 'platform' | 'tags'>;

const introduce = ({ description = null, platform = null, tags = '[]' }: Partial<Introduction> = {}) => ({
  description,
  platform,
  tags: JSON.parse(tags) as string[],
});

const MAX_WRITERS = 100;
const PROFILES_AT_ONCE = 200;

const discover = reads<'agents.discover'>(async (context, input) => {
  const writers = await writersAt(context, input);
  const unseen = new Map(writers.map(({ agent_id, n }) => [agent_id, n]));
  const of = writers.reduce((sum, { n }) => sum + n, 0);
  const consider = (agent_id: string, profile?: DeclaredProfile) => {
    const { tags, ...introduced } = introduce(profile);
    const capabilities = capabilitiesInScope(
      context.view.scope,
      JSON.parse(profile?.capabilities ?? '[]') as Capability[],
    );
    const match = matchAgent(input, { agent_id, tags, capabilities }, { n: unseen.get(agent_id) ?? 0, of });
    unseen.delete(agent_id);
    return match ? [{ ...match, ...introduced, tags }] : [];
  };
  let matches: ReturnType<typeof consider> = [];
  let left = context.services.limits.max_scanned_entries;
  let truncated = false;
  const keepBest = () => {
    const best = matches.sort(byScore).slice(0, input.limit);
    matches = startWithin(best, pageBytes(context.services), matchBytes);
    truncated ||= matches.length < best.length;
  };
  for await (const profile of declaredProfiles(context)) {
    if (left-- === 0) {
      truncated = true;
      break;
    }
    matches.push(...consider(profile.agent_id, profile));
    if (matches.length >= input.limit + SPARE_MATCHES) keepBest();
  }
  for (const agent_id of [...unseen.keys()]) matches.push(...consider(agent_id));
  keepBest();
  return { agents: matches, truncated };
});

/** About as much as a match takes beside its reasons. */
const MATCH_BYTES = 8192;
/** How many more matches than are shown are kept while there may be better ones. */
const SPARE_MATCHES = 32;

const matchBytes = ({ why, capabilities }: AgentMatch): number =>
  [...why, ...capabilities].reduce((sum, text) => sum + jsonBytes(text), MATCH_BYTES);

async function* declaredProfiles({ scan, caller, services }: ReadContext): AsyncGenerator<DeclaredProfile> {
  for (let after = ''; ; ) {
    const page = { after, limit: PROFILES_AT_ONCE, bytes: pageBytes(services) };
    const { rows, more } = await listDeclared(scan, caller.account_id, page);
    yield* rows;
    if (!more && rows.length < PROFILES_AT_ONCE) return;
    after = (rows.at(-1) as DeclaredProfile).agent_id;
  }
}

/** Agents that know a path because they wrote there. */
async function writersAt({ scan, view, services }: ReadContext, { entity_path }: Input<'agents.discover'>) {
  if (entity_path === undefined) return [];
  const page = { entity_path, scan: services.limits.max_scanned_entries, limit: MAX_WRITERS };
  return queries.listWriters(scan, view, page);
}

export const directoryHandlers: Handlers = { 'agents.list': list, 'agents.discover': discover };

import { JsonText, type Output, stringify } from '@mem-service/contract';
import type { Insert, Row } from '../../db/index.ts';
import {
  branchOf,
  bytesOfTexts,
  type Caller,
  changed,
  EVERYONE,
  getAgent,
  type Handlers,
  hashedBy,
  reads,
  type Scope,
  sessionName,
  storeMore,
  toIso,
  toIsoOrNull,
  type Work,
  writes,
} from '../../kernel/index.ts';
import { countWritten } from '../counts/index.ts';
import * as profiles from '../profiles/index.ts';
import { countPaths } from './memory/queries.ts';
import {
  capabilitiesInScope,
  contractsInScope,
  isOutsideScope,
  pathsOverlappingScope,
  writersInScope,
} from './scoped-agents.ts';

type DeclaredCapability = { name: string; description: string; entity_paths: string[] };
type ContractAnswer = Output<'agents.profile'>['contracts'][number];

const UNDESCRIBED = {
  description: null,
  platform: null,
  default_branch: null,
  auto_context_paths: '[]',
  tags: '[]',
  session_metadata: '{}',
  capabilities: '[]',
  contracts: '[]',
};

const profile = reads<'agents.profile'>(async (context, { agent_id }) => {
  const { read, scan, view, caller, services } = context;
  const { account_id, agent_id: viewer } = caller;
  const limit = services.limits.max_scanned_entries;
  const branch = branchOf(view);
  const here = await writersInScope(context, { after: '', limit: 1 }, agent_id);
  const [row, seen, written, touched] = await Promise.all([
    profiles.getProfile(read, account_id, agent_id),
    here ?? getAgent(read, { account_id, viewer }, agent_id),
    here ?? countWritten(read, { account_id, viewer, branch }, { first: agent_id, last: agent_id }),
    countPaths(scan, view, { agent_id, limit }),
  ]);
  const firsts = [...seen.map(({ first_at }) => first_at), ...(row ? [row.created_at] : [])];
  return {
    agent_id,
    ...fromRow(row ?? UNDESCRIBED, view.scope),
    entries_written: written.reduce((sum, { n }) => sum + n, 0),
    entities_touched: touched?.paths ?? 0,
    entities_truncated: (touched?.looked_at ?? 0) >= limit,
    created_at: firsts.length === 0 ? null : toIso(Math.min(...firsts)),
    last_active: seen.length === 0 ? null : toIso(Math.max(...seen.map(({ last_at }) => last_at ?? 0))),
    updated_at: toIsoOrNull(row?.updated_at ?? null),
  };
});

type ProfileFields = Omit<profiles.ProfileRow, 'agent_id' | 'created_at' | 'updated_at'>;

const fromRow = (row: ProfileFields, scope: Scope | undefined) => ({
  description: row.description,
  platform: row.platform,
  default_branch: row.default_branch,
  auto_context_paths: pathsOverlappingScope(scope, JSON.parse(row.auto_context_paths)),
  tags: JSON.parse(row.tags),
  session_metadata: new JsonText(row.session_metadata),
  capabilities: capabilitiesInScope<DeclaredCapability>(scope, JSON.parse(row.capabilities)),
  contracts: contractsInScope<ContractAnswer>(scope, JSON.parse(row.contracts)),
});

const setProfile = writes<'agents.set_profile'>(async (work, { input, caller }) => {
  const { agent_id, session_metadata = new JsonText('{}'), ...rest } = input;
  const declared = { ...rest, session_metadata };
  const kept = await declaredOutsideScope<string>(work, { caller, agent_id, column: 'auto_context_paths' }, (path) => [
    path,
  ]);
  const columns = {
    ...rest,
    auto_context_paths: JSON.stringify([...kept, ...rest.auto_context_paths]),
    tags: JSON.stringify(rest.tags),
    session_metadata: session_metadata.text,
  };
  return declare(work, caller, { agent_id, part: 'profile', upsert: profiles.setProfile, columns, declared });
});

const setCapabilities = writes<'agents.set_capabilities'>(async (work, { input, caller }) => {
  const { agent_id, ...declared } = input;
  const about = { caller, agent_id, column: 'capabilities' } as const;
  const kept = await declaredOutsideScope<DeclaredCapability>(work, about, ({ entity_paths }) => entity_paths);
  const isReplaced = ({ name }: DeclaredCapability) => input.capabilities.some((one) => one.name === name);
  const columns = { capabilities: stringify([...kept.filter((one) => !isReplaced(one)), ...input.capabilities]) };
  return declare(work, caller, { agent_id, part: 'capabilities', upsert: profiles.setCapabilities, columns, declared });
});

const setContracts = writes<'agents.set_contracts'>(async (work, { input, caller }) => {
  const { agent_id, ...declared } = input;
  const about = { caller, agent_id, column: 'contracts' } as const;
  const kept = await declaredOutsideScope<ContractAnswer>(work, about, ({ entity_path }) => [entity_path]);
  const columns = { contracts: stringify([...kept, ...input.contracts]) };
  return declare(work, caller, { agent_id, part: 'contracts', upsert: profiles.setContracts, columns, declared });
});

type ScopedColumn = { caller: Caller; agent_id: string; column: 'auto_context_paths' | 'capabilities' | 'contracts' };

/** Declarations about paths that the key may not write to stay when the rest is replaced. */
async function declaredOutsideScope<T>(
  work: Work,
  { caller, agent_id, column }: ScopedColumn,
  pathsOf: (one: T) => readonly string[],
) {
  const scope = caller.key?.write;
  if (scope === undefined) return [];
  const row = await profiles.getProfile(work.tx, work.account_id, agent_id);
  const declared = JSON.parse(row?.[column] ?? '[]') as T[];
  return declared.filter((one) => isOutsideScope(scope, pathsOf(one)));
}

type ProfilePart<T> = { agent_id: string; part: string; upsert: Insert; columns: Row; declared: T };

/** Stores a declaration about an agent. The operator of an agent may declare it in its place. */
async function declare<T extends object>(work: Work, caller: Caller, { agent_id, part, ...what }: ProfilePart<T>) {
  const { account_id, now } = work;
  const before = await profiles.getProfile(work.tx, account_id, agent_id);
  const bytesOf = (row: Row) => bytesOfTexts(profiles.textsOfProfile(row));
  const after = bytesOf({ agent_id, ...UNDESCRIBED, ...before, ...what.columns });
  storeMore(work, after - (before ? bytesOf(before) : 0));
  const row = { account_id, agent_id, ...what.columns, created_at: now, updated_at: now };
  work.send(work.tx.insertMany(what.upsert, [row]));
  work.emit({
    event_type: 'agent_updated',
    agent_id,
    branch: 'main',
    entity_path: null,
    key: null,
    version: null,
    visible_to: EVERYONE,
    details: { part },
    session: sessionName(caller.session_id, caller),
    actor_agent_id: caller.agent_id === agent_id ? undefined : caller.agent_id,
  });
  const output = { agent_id, ...what.declared, updated_at: toIso(now) };
  return changed(output, { resource: agent_id, ...hashedBy(output) });
}

export const profileHandlers: Handlers = {
  'agents.profile': profile,
  'agents.set_profile': setProfile,
  'agents.set_capabilities': setCapabilities,
  'agents.set_contracts': setContracts,
};

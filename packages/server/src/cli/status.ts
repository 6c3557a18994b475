import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationName, Output } from '@mem-service/contract';
import { hasStore, locationReason, type MemoryLocation } from '@mem-service/mcp/location';
import { VERSION } from '../version.ts';
import { type ChosenBranch, currentBranch } from './branch/chosen.ts';
import { hasState } from './branch/state.ts';
import { agentOr, type CallerNames, connect, type ServiceConnection } from './connect.ts';
import { clients, type InstallScope, type McpClient, scopesOf } from './init/clients.ts';
import { isSameMemory, memoryOfEntry, readEntry } from './init/configured.ts';
import { readText } from './init/files.ts';
import { type Machine, thisMachine } from './init/machine.ts';
import { isSetUp } from './init/plan.ts';
import type { ClientConfig } from './memory.ts';
import type { OwnParts } from './own/command.ts';
import { bytes, counted, outcomeText, paint, panel, type Screen, show, when } from './render/index.ts';
import { isTracked, untrackCommand } from './tracked.ts';

export type ServiceStatus = {
  version: string;
  /** The server, or the location of the store, and what decided it. */
  place: {
    kind: 'server' | 'sqlite' | 'postgres';
    at: string;
    by: MemoryLocation['by'];
    bytes: number | null;
    exists: boolean;
  };
  /** What compares the meaning here; null where a server decides it. */
  embedder: string | null;
  service: Output<'health.read'> | null;
  stats: Output<'stats.read'> | null;
  /** The branch of commands that name none; null where the memory is not there yet. */
  branch: (Partial<ChosenBranch> & { name: string; exists: boolean }) | null;
  agent_id: string;
  session_id: string | null;
  session: { started_at: string | null; read: number; recorded: number; stale: number } | null;
  last_outcome: { outcome_ref: string; outcome_type: string; agent_id: string; committed_at: string } | null;
  /** Whether git tracks the store. */
  tracked: boolean;
  clients: (ClientMemory & { client: string; scope: InstallScope })[];
};

/** Where a client keeps memory, and whether commands in this folder use the same. */
type ClientMemory = { memory: MemoryLocation; same_memory: boolean };

export async function readStatus(parts: OwnParts, config: ClientConfig, identity: CallerNames): Promise<ServiceStatus> {
  const { memory } = config;
  const place = storeLocation(memory);
  const machine = thisMachine(parts);
  const known = {
    version: VERSION,
    place,
    embedder: place.kind === 'server' ? null : embedderText(config.settings),
    agent_id: agentOr(identity.agent, config),
    session_id: identity.session ?? null,
    tracked: await isTracked(memory),
    clients: clients.flatMap((client) =>
      scopesOf(machine)
        .filter((scope) => isSetUp(client, machine, scope))
        .map((scope) => ({ client: client.title, scope, ...clientMemory(client, machine, { scope, memory }) })),
    ),
  };
  if (!place.exists) return { ...known, branch: null, service: null, stats: null, session: null, last_outcome: null };
  const connection = await connect(parts, config, { ...identity, creates: false });
  try {
    const branch = await statusOfBranch(connection, config);
    return { ...known, branch, ...(await askAll(connection, branch)) };
  } finally {
    await connection.close();
  }
}

function embedderText({ embedder, embedding_server: server }: ClientConfig['settings']): string {
  if (embedder === 'off') return 'embedder off: questions are answered by words alone';
  return server
    ? `embedder ${server.model} at ${new URL(server.url).host}, beside the built-in one`
    : 'built-in embedder';
}

function clientMemory(
  client: McpClient,
  machine: Machine,
  { scope, memory }: { scope: InstallScope; memory: MemoryLocation },
): ClientMemory {
  const { config = '' } = client.files(machine, scope);
  const used = memoryOfEntry(readEntry(client, readText(config) ?? ''), machine);
  return { memory: used, same_memory: isSameMemory(used, memory) };
}

function storeLocation(memory: MemoryLocation): ServiceStatus['place'] {
  const { kind, at, by } = memory;
  if (kind !== 'folder') return { kind, at, by, bytes: null, exists: true };
  const names = ['mem.db', 'mem.db-wal', 'words.db', 'words.db-wal'];
  const files = names.map((name) => join(at, name)).filter((file) => existsSync(file));
  const size = files.reduce((sum, file) => sum + statSync(file).size, 0);
  return { kind: 'sqlite', at, by, bytes: size, exists: hasStore(memory) };
}

async function statusOfBranch(connection: ServiceConnection, config: ClientConfig) {
  const name = await currentBranch(connection, config);
  return { ...config.branch, name, exists: await hasState(connection, name) };
}

/** What is shown of a branch that is gone is that of main. */
const readableBranch = (branch: ServiceStatus['branch']) => (branch?.exists === false ? { branch: 'main' } : {});

async function askAll(connection: ServiceConnection, branch: ServiceStatus['branch']) {
  const here = readableBranch(branch);
  const ask = async <N extends OperationName>(name: N, input: Record<string, unknown>) =>
    JSON.parse(await connection.call(name, input)) as Output<N>;
  const service = await ask('health.read', {});
  const stats = await ask('stats.read', here);
  const open = await ask('sessions.explain', {});
  const [last] = (await ask('outcomes.list', { ...here, limit: 1 })).outcomes;
  const recorded = [
    open.external_contexts,
    open.tool_calls,
    open.llm_calls,
    open.spans,
    open.error_events,
    open.attempts,
  ];
  return {
    service,
    stats,
    session: {
      started_at: open.session_started_at,
      read: open.causal_entries.length,
      recorded: recorded.reduce((sum, list) => sum + list.length, 0),
      stale: open.stale_reads.length,
    },
    last_outcome: last
      ? {
          outcome_ref: last.outcome_ref,
          outcome_type: last.outcome_type,
          agent_id: last.agent_id,
          committed_at: last.committed_at,
        }
      : null,
  };
}

const KINDS = { server: 'server', sqlite: 'SQLite', postgres: 'PostgreSQL' };

export function showStatus(status: ServiceStatus, screen: Screen): string {
  const { place, service, stats, session, last_outcome: last } = status;
  const size = place.bytes ? `, ${bytes(place.bytes)}` : '';
  const backend =
    place.kind === 'server' && service ? `mem ${service.version} on ${KINDS[service.backend]}` : KINDS[place.kind];
  const where = place.exists
    ? `${show(place.at)} (${backend}${size})`
    : `${show(place.at)}: there is none yet, the first write creates it`;
  const who = `${show(status.agent_id)}${status.session_id === null ? '' : `, session ${show(status.session_id)}`}`;
  return `${paint(screen, 'bold', `mem ${status.version}`)}\n\n${panel(
    [
      [place.kind === 'server' ? 'server' : 'store', where],
      ['because', `it is ${locationReason(place)}`],
      ['schema', service ? String(service.schema) : ''],
      ['branch', status.branch ? branchText(status.branch) : ''],
      ['entries', stats ? entriesText(stats) : ''],
      [
        'log',
        stats
          ? `${counted(stats.last_seq, 'event')}${stats.newest_entry_at ? `, last write ${when(stats.newest_entry_at)}` : ''}`
          : '',
      ],
      ['meaning', show(status.embedder ?? '')],
      ['agent', who],
      ['session', session ? sessionText(session) : ''],
      [
        'outcome',
        last
          ? `${outcomeText(last.outcome_ref, last.outcome_type, screen)} by ${show(last.agent_id)}, ${when(last.committed_at)}`
          : place.exists
            ? 'none yet'
            : '',
      ],
      [
        'clients',
        status.clients.map(({ client, scope }) => (scope === 'user' ? client : `${client} (project)`)).join(', ') ||
          'none set up: mem init',
      ],
      ['warning', dividedText(status)],
      ['git', status.tracked ? `the repository holds the store: ${show(untrackCommand(place))}` : ''],
    ],
    screen,
  )}`;
}

/** Empty where all clients use this memory. */
function dividedText({ clients }: ServiceStatus): string {
  const others = clients.filter(({ same_memory }) => !same_memory);
  if (others.length === 0) return '';
  const places = [...new Set(others.map(({ memory }) => memory.at))];
  const named = places.map((at) => {
    const titles = others.filter(({ memory }) => memory.at === at).map(({ client }) => client);
    return `${[...new Set(titles)].join(', ')} ${titles.length > 1 ? 'use' : 'uses'} ${at}`;
  });
  return `${show(named.join('; '))}: not the memory above. mem doctor says what to do`;
}

function branchText({ name, exists, ...chosen }: NonNullable<ServiceStatus['branch']>): string {
  const by = 'folder' in chosen ? `, to which ${show(chosen.folder)} was switched` : '';
  const variable = chosen.by === 'MEM_BRANCH' ? ', by MEM_BRANCH' : '';
  return `${show(name)}${by}${variable}${exists ? '' : ': there is no such branch. mem switch main goes back'}`;
}

function entriesText({ total_entries, total_entities, total_agents, confidence_avg }: Output<'stats.read'>): string {
  if (total_entries === 0) return 'none';
  const average = confidence_avg === null ? '' : `, confidence ${confidence_avg.toFixed(2)} on average`;
  return `${total_entries} on ${counted(total_entities, 'path')} by ${counted(total_agents, 'agent')}${average}`;
}

function sessionText({ started_at, read, recorded, stale }: NonNullable<ServiceStatus['session']>): string {
  if (started_at === null && read === 0 && recorded === 0) return 'nothing open';
  const old = stale === 0 ? '' : `, ${stale} of them changed since`;
  return `open${started_at === null ? '' : ` since ${when(started_at)}`}: ${counted(read, 'entry', 'entries')} read${old}, ${counted(recorded, 'record')}`;
}

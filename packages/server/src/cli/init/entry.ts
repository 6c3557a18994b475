import { isAbsolute, relative, sep } from 'node:path';
import { type MemoryLocation, ownStore } from '@mem-service/mcp/location';
import type { Environment } from '../../config.ts';
import { UsageError } from '../failure.ts';
import type { InstallScope, McpClient } from './clients.ts';
import type { Program } from './program.ts';

/** Where the memory is that clients are configured to use. */
export type MemoryTarget =
  | { url: string; apiKey: string | undefined; toolset: string | undefined }
  | { env: Record<string, string> };

export type TargetScope = { env: Environment; folder: string; scope: InstallScope };

/** A server, or the variables with which a client opens the store itself. */
export function targetOf({ kind, at }: MemoryLocation, { env, folder, scope }: TargetScope): MemoryTarget {
  if (kind === 'server')
    return {
      url: `${new URL(at).href.replace(/\/+$/, '')}/mcp`,
      apiKey: env.MEM_API_KEY || undefined,
      toolset: env.MEM_TOOLSET || undefined,
    };
  const kept = {
    MEM_DATA_DIR: kind === 'folder' ? folderFor(at, { env, folder, scope }) : undefined,
    MEM_POSTGRES_DSN: kind === 'postgres' ? env.MEM_POSTGRES_DSN : undefined,
    MEM_TOOLSET: env.MEM_TOOLSET,
    MEM_BRANCH: env.MEM_BRANCH,
  };
  return { env: Object.fromEntries(Object.entries(kept).filter((pair): pair is [string, string] => Boolean(pair[1]))) };
}

/**
 * Settings of a user name the whole path, because clients start in any folder. Settings of a project are shared, so they
 * name a folder of the project from its root, and for the own store of each user nothing.
 */
function folderFor(at: string, { env, folder, scope }: TargetScope): string | undefined {
  if (scope === 'user') return at;
  if (at === ownStore(env)) return undefined;
  const inside = relative(folder, at);
  if (inside !== '' && !inside.startsWith('..') && !isAbsolute(inside)) return inside.split(sep).join('/');
  throw new UsageError(
    `${at} exists only on this machine, and settings of a project are shared: give --store project, --store own or a server`,
  );
}

export type ServerEntry = Readonly<Record<string, string | readonly string[] | Readonly<Record<string, string>>>>;

/** Members that an entry of ours may have, in this version or an earlier one. */
export const entryMembers = [
  'type',
  'command',
  'args',
  'env',
  'url',
  'httpUrl',
  'serverUrl',
  'headers',
  'bearer_token_env_var',
  'env_vars',
] as const;

/** The entry for a client under the name `mem`. */
export function entryOf({ format }: McpClient, target: MemoryTarget, program: Program): ServerEntry {
  const { types, url: urlMember } = format;
  if ('env' in target)
    return { ...(types ? { type: types.stdio } : {}), ...program, ...variablesOf(format, target.env) };
  if (!urlMember) return throughProgram(target, program);
  const address = target.toolset ? `${target.url}?toolset=${encodeURIComponent(target.toolset)}` : target.url;
  return { ...(types ? { type: types.http } : {}), [urlMember]: address, ...keyOf(format, target.apiKey) };
}

const SECRET = 'MEM_POSTGRES_DSN';

/** Like a key, a database address with a password stays in the environment if possible. */
function variablesOf(format: McpClient['format'], env: Readonly<Record<string, string>>): ServerEntry {
  const { kind, variable, projectFolder } = format;
  const { [SECRET]: dsn, MEM_DATA_DIR: folder, ...rest } = env;
  const isOfProject = folder !== undefined && projectFolder !== undefined && !isAbsolute(folder);
  const open = {
    ...(folder === undefined ? {} : { MEM_DATA_DIR: isOfProject ? `${projectFolder}/${folder}` : folder }),
    ...rest,
  };
  const named = dsn === undefined || kind === 'toml' ? open : { ...open, [SECRET]: variable?.(SECRET) ?? dsn };
  return {
    ...(Object.keys(named).length > 0 ? { env: named } : {}),
    ...(dsn !== undefined && kind === 'toml' ? { env_vars: [SECRET] } : {}),
  };
}

/** For a client that cannot connect to a remote server and does not expand variables. */
function throughProgram(target: Exclude<MemoryTarget, { env: object }>, { command, args }: Program): ServerEntry {
  const env = {
    MEM_HTTP_URL: target.url.replace(/\/mcp$/, ''),
    ...(target.apiKey ? { MEM_API_KEY: target.apiKey } : {}),
    ...(target.toolset ? { MEM_TOOLSET: target.toolset } : {}),
  };
  return { command, args, env };
}

/** The key stays in the environment if the client can expand variables. */
function keyOf({ kind, variable }: McpClient['format'], apiKey: string | undefined): ServerEntry {
  if (apiKey === undefined) return {};
  if (kind === 'toml') return { bearer_token_env_var: 'MEM_API_KEY' };
  return { headers: { 'X-MEM-API-Key': variable ? variable('MEM_API_KEY') : apiKey } };
}

/** Values that must never be printed. */
export const secretsOf = (env: Environment): string[] =>
  [
    env.MEM_API_KEY,
    env.MEM_POSTGRES_DSN,
    passwordOf(env.MEM_POSTGRES_DSN),
    ...(env.MEM_API_KEYS ?? '').split(','),
  ].filter((secret): secret is string => Boolean(secret));

function passwordOf(dsn: string | undefined): string | undefined {
  return dsn && URL.canParse(dsn) ? decodeURIComponent(new URL(dsn).password) : undefined;
}

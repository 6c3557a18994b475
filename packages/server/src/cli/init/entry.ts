import { resolve } from 'node:path';
import type { Environment } from '../../config.ts';
import type { McpClient } from './clients.ts';
import type { Program } from './program.ts';

/** Where the memory is that clients are configured to use. */
export type MemoryTarget =
  | { url: string; apiKey: string | undefined; toolset: string | undefined }
  | { env: Record<string, string> };

/** From the environment: a server, or the store of this machine. */
export function targetOf(env: Environment): MemoryTarget {
  if (env.MEM_HTTP_URL) {
    const url = new URL(env.MEM_HTTP_URL);
    return {
      url: `${url.href.replace(/\/+$/, '')}/mcp`,
      apiKey: env.MEM_API_KEY || undefined,
      toolset: env.MEM_TOOLSET || undefined,
    };
  }
  const kept = {
    MEM_DATA_DIR: env.MEM_DATA_DIR && resolve(env.MEM_DATA_DIR),
    MEM_POSTGRES_DSN: env.MEM_POSTGRES_DSN,
    MEM_TOOLSET: env.MEM_TOOLSET,
    MEM_BRANCH: env.MEM_BRANCH,
  };
  return { env: Object.fromEntries(Object.entries(kept).filter((pair): pair is [string, string] => Boolean(pair[1]))) };
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
function variablesOf({ kind, variable }: McpClient['format'], env: Readonly<Record<string, string>>): ServerEntry {
  const { [SECRET]: dsn, ...open } = env;
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

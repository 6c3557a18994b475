import { userInfo } from 'node:os';
import { join } from 'node:path';
import { shapes, toolsetChoices } from '@mem-service/contract';
import { homeFolder, locateMemory, type MemoryLocation } from './location.ts';
import { findSwitched } from './switched-branch.ts';

export type McpEnvironment = Readonly<Record<string, string | undefined>>;

/** Settings of the MCP server from the environment. The store reads the settings of the service. */
export type McpSettings = {
  location: MemoryLocation;
  apiKey: string | undefined;
  /** Read-only servers of the same memory. */
  readUrls: readonly string[];
  agentId: string | undefined;
  /** The branch of calls that name none. */
  branch: string | undefined;
  toolset: readonly string[];
  /** The client as detected from the environment, for clients that do not name themselves. */
  platform: string | undefined;
  user: string;
  /** Files of the user rather than of a store: identities and exports. */
  home: string;
  warnings: readonly string[];
  /** The whole environment, for the settings of the service. */
  env: McpEnvironment;
};

export class SettingsError extends Error {
  override name = 'SettingsError';
}

export function readSettings(env: McpEnvironment = process.env, folder: string = process.cwd()): McpSettings {
  const url = env.MEM_HTTP_URL || undefined;
  if (url !== undefined && !(URL.canParse(url) && /^https?:/.test(url)))
    throw new SettingsError('MEM_HTTP_URL must be an http or https address');
  const dsn = env.MEM_POSTGRES_DSN;
  const location = locateMemory(env, folder);
  return {
    location,
    apiKey: env.MEM_API_KEY || undefined,
    readUrls: (env.MEM_HTTP_READ_URLS ?? '')
      .split(',')
      .map((url) => url.trim())
      .filter(Boolean),
    agentId: readLabel('MEM_AGENT_ID', env.MEM_AGENT_ID),
    branch: readLabel('MEM_BRANCH', env.MEM_BRANCH) ?? findSwitched(env, folder, location)?.branch,
    toolset: toolsetOf(env.MEM_TOOLSET),
    platform: platformOf(env),
    user: env.USER || env.USERNAME || userName(),
    home: join(homeFolder(env), '.mem'),
    warnings: url && dsn ? ['MEM_HTTP_URL and MEM_POSTGRES_DSN are both set: MEM_HTTP_URL is used'] : [],
    env,
  };
}

/** Checks a name of an agent or a branch. */
export function readLabel(name: string, text: string | undefined): string | undefined {
  if (!text) return undefined;
  const parsed = shapes.agentId.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new SettingsError(`${name} ${parsed.error.issues[0]?.message ?? 'is not valid'}`);
}

/** Names of toolsets or tools, separated by commas. */
export function toolsetOf(text = ''): readonly string[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const wrong = names.find((name) => !name.startsWith('mem_') && !toolsetChoices.some((set) => set === name));
  if (wrong !== undefined)
    throw new SettingsError(
      `MEM_TOOLSET: there is no ${JSON.stringify(wrong)}; use ${toolsetChoices.join(', ')} or names of tools`,
    );
  return names.length === 0 ? ['core'] : names;
}

function platformOf(env: McpEnvironment): string | undefined {
  if (env.CURSOR_SESSION_ID || env.CURSOR_TRACE_ID) return 'cursor';
  if (env.CLAUDECODE || env.CLAUDE_CODE_SESSION) return 'claude-code';
  if (env.CODEX_HOME) return 'codex';
  if (env.GEMINI_CLI) return 'gemini-cli';
  return env.VSCODE_PID ? 'vscode' : undefined;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'user';
  }
}

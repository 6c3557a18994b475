import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { applicationData, isOnPath, type Machine } from './machine.ts';

export const clientNames = [
  'claude-code',
  'claude-desktop',
  'cursor',
  'codex',
  'vscode',
  'gemini',
  'windsurf',
] as const;
export type ClientName = (typeof clientNames)[number];
export type InstallScope = 'user' | 'project';

/** The format in which a client configures a server. */
export type ConfigFormat = {
  kind: 'json' | 'toml';
  /** The path of the object that has a member for each server. */
  servers: readonly string[];
  /** How a value refers to an environment variable; undefined if the client does not expand variables. */
  variable?: (name: string) => string;
  /** How a value names the folder of the project; undefined if the client starts servers in that folder. */
  projectFolder?: string;
  /** The member for the URL of a remote server; undefined if the client can only start programs. */
  url?: 'url' | 'httpUrl' | 'serverUrl';
  /** Values of `type` that distinguish the kinds of servers. */
  types?: { stdio: string; http: string };
};

/** A text that instructs the model to use memory. */
export type GuideFile = { file: string; kind: 'block' | 'skill' | 'rule' | 'instructions' };

/** The files of a client in one scope. */
export type ClientFiles = { config: string | undefined; guides: readonly GuideFile[]; hooks?: string };

export type McpClient = {
  name: ClientName;
  title: string;
  format: ConfigFormat;
  isInstalled(machine: Machine): boolean;
  files(machine: Machine, scope: InstallScope): ClientFiles;
};

const braces = (name: string) => `\${${name}}`;
const envBraces = (name: string) => `\${env:${name}}`;
export const WORKSPACE = braces('workspaceFolder');
const mcpServers = { kind: 'json', servers: ['mcpServers'] } as const;

const claudeHome = ({ env, home }: Machine) => env.CLAUDE_CONFIG_DIR || join(home, '.claude');
const codexHome = ({ env, home }: Machine) => env.CODEX_HOME || join(home, '.codex');
const codeUser = (machine: Machine) => join(applicationData(machine), 'Code', 'User');
const desktop = (machine: Machine) => join(applicationData(machine), 'Claude');
const windsurfHome = ({ home }: Machine) => join(home, '.codeium', 'windsurf');

const claudeCode: McpClient = {
  name: 'claude-code',
  title: 'Claude Code',
  format: { ...mcpServers, variable: braces, url: 'url', types: { stdio: 'stdio', http: 'http' } },
  isInstalled: (machine) =>
    existsSync(claudeHome(machine)) || existsSync(join(machine.home, '.claude.json')) || isOnPath(machine, 'claude'),
  files(machine, scope) {
    const own = scope === 'project' ? join(machine.folder, '.claude') : claudeHome(machine);
    const state = machine.env.CLAUDE_CONFIG_DIR || machine.home;
    return {
      config: scope === 'project' ? join(machine.folder, '.mcp.json') : join(state, '.claude.json'),
      guides: [
        { file: join(scope === 'project' ? machine.folder : own, 'CLAUDE.md'), kind: 'block' },
        { file: join(own, 'skills', 'mem', 'SKILL.md'), kind: 'skill' },
      ],
      hooks: join(own, 'settings.json'),
    };
  },
};

const claudeDesktop: McpClient = {
  name: 'claude-desktop',
  title: 'Claude Desktop',
  format: mcpServers,
  isInstalled: (machine) => existsSync(desktop(machine)),
  files: (machine, scope) => ({
    config: scope === 'user' ? join(desktop(machine), 'claude_desktop_config.json') : undefined,
    guides: [],
  }),
};

const cursor: McpClient = {
  name: 'cursor',
  title: 'Cursor',
  format: { ...mcpServers, variable: envBraces, projectFolder: WORKSPACE, url: 'url' },
  isInstalled: ({ home }) => existsSync(join(home, '.cursor')),
  // The program keeps a user's rules itself, not in a file.
  files: ({ home, folder }, scope) => ({
    config: join(scope === 'project' ? folder : home, '.cursor', 'mcp.json'),
    guides: scope === 'project' ? [{ file: join(folder, '.cursor', 'rules', 'mem.mdc'), kind: 'rule' }] : [],
  }),
};

const codex: McpClient = {
  name: 'codex',
  title: 'Codex CLI',
  format: { kind: 'toml', servers: ['mcp_servers'], url: 'url' },
  isInstalled: (machine) => existsSync(codexHome(machine)) || isOnPath(machine, 'codex'),
  files(machine, scope) {
    const { folder } = machine;
    const config = join(scope === 'project' ? join(folder, '.codex') : codexHome(machine), 'config.toml');
    const guide = join(scope === 'project' ? folder : codexHome(machine), 'AGENTS.md');
    return { config, guides: [{ file: guide, kind: 'block' }] };
  },
};

const vscode: McpClient = {
  name: 'vscode',
  title: 'VS Code',
  format: {
    kind: 'json',
    servers: ['servers'],
    variable: envBraces,
    projectFolder: WORKSPACE,
    url: 'url',
    types: { stdio: 'stdio', http: 'http' },
  },
  isInstalled: (machine) => existsSync(dirname(codeUser(machine))) || isOnPath(machine, 'code'),
  files(machine, scope) {
    const { folder } = machine;
    if (scope === 'project')
      return {
        config: join(folder, '.vscode', 'mcp.json'),
        guides: [{ file: join(folder, 'AGENTS.md'), kind: 'block' }],
      };
    const user = codeUser(machine);
    const guide = join(user, 'prompts', 'mem.instructions.md');
    return { config: join(user, 'mcp.json'), guides: [{ file: guide, kind: 'instructions' }] };
  },
};

const gemini: McpClient = {
  name: 'gemini',
  title: 'Gemini CLI',
  format: { ...mcpServers, variable: braces, url: 'httpUrl' },
  isInstalled: (machine) => existsSync(join(machine.home, '.gemini')) || isOnPath(machine, 'gemini'),
  files({ home, folder }, scope) {
    const guide = scope === 'project' ? join(folder, 'GEMINI.md') : join(home, '.gemini', 'GEMINI.md');
    const config = join(scope === 'project' ? folder : home, '.gemini', 'settings.json');
    return { config, guides: [{ file: guide, kind: 'block' }] };
  },
};

const windsurf: McpClient = {
  name: 'windsurf',
  title: 'Windsurf',
  format: { ...mcpServers, variable: envBraces, url: 'serverUrl' },
  isInstalled: (machine) => existsSync(windsurfHome(machine)),
  files: (machine, scope) => ({
    config: scope === 'user' ? join(windsurfHome(machine), 'mcp_config.json') : undefined,
    guides:
      scope === 'user' ? [{ file: join(windsurfHome(machine), 'memories', 'global_rules.md'), kind: 'block' }] : [],
  }),
};

/** In the order of `clientNames`. */
export const clients: readonly McpClient[] = [claudeCode, claudeDesktop, cursor, codex, vscode, gemini, windsurf];

/** In the home folder itself, most project files would be the user's own. */
export const scopesOf = ({ home, folder }: Machine): InstallScope[] =>
  home === folder ? ['user'] : ['user', 'project'];

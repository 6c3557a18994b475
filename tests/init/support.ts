import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Desk, openDesk, type RunOptions } from '../cli/support.ts';

/** A home folder with clients in it, and a project. */
export type ClientHome = {
  desk: Desk;
  folder: string;
  put(file: string, text: string): void;
  read(file: string): string;
  mode(file: string): number;
  /** Every file below, with what is in it. */
  files(): Record<string, string>;
  init(args: readonly string[], options?: Pick<RunOptions, 'env'>): ReturnType<Desk['inProcess']>;
};

export async function openHome(env: Readonly<Record<string, string | undefined>> = {}): Promise<ClientHome> {
  // Only node: clients of this machine must not be found.
  const desk = await openDesk({ MEM_DATA_DIR: undefined, PATH: dirname(process.execPath), ...env });
  const { folder } = desk;
  const at = (file: string) => join(folder, file);
  return {
    desk,
    folder,
    put(file, text) {
      mkdirSync(dirname(at(file)), { recursive: true });
      writeFileSync(at(file), text);
    },
    read: (file) => readFileSync(at(file), 'utf8'),
    mode: (file) => statSync(at(file)).mode & 0o777,
    files: () =>
      Object.fromEntries(filesBelow(folder).map((file) => [relative(folder, file), readFileSync(file, 'utf8')])),
    init: (args, options) => desk.inProcess(['init', ...args], options),
  };
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    })
    .sort();
}

/** Files as the clients write them themselves, with a server that was there before. */
export const originals = {
  'claude-code': {
    file: '.claude.json',
    servers: 'mcpServers',
    text: `{
  "numStartups": 184,
  "installMethod": "native",
  "tipsHistory": {
    "new-user-warmup": 3
  },
  "mcpServers": {
    "github": {
      "type": "http",
      "url": "https://api.githubcopilot.com/mcp/",
      "headers": {
        "Authorization": "Bearer ghp_0123456789abcdef"
      }
    }
  },
  "projects": {
    "/home/ada/shop": {
      "allowedTools": [],
      "hasTrustDialogAccepted": true
    }
  },
  "primaryApiKey": "sk-ant-0123456789"
}`,
  },
  'claude-desktop': {
    file: '.config/Claude/claude_desktop_config.json',
    servers: 'mcpServers',
    text: `{
  "globalShortcut": "",
  "preferences": {
    "menuBarEnabled": true
  }
}
`,
  },
  cursor: {
    file: '.cursor/mcp.json',
    servers: 'mcpServers',
    text: `{
    "mcpServers": {
        "linear": { "url": "https://mcp.linear.app/mcp", "headers": { "Authorization": "Bearer \${env:LINEAR_KEY}" } }
    }
}
`,
  },
  codex: {
    file: '.codex/config.toml',
    servers: 'mcp_servers',
    text: `# chosen on purpose
model = "gpt-5.2-codex"
model_reasoning_effort = 'high'
notify = [
  "python3", # a comment
  "/home/ada/notify.py",
]
instructions = """
[mcp_servers.mem] is no table here
"""

[projects."/home/ada/shop"]
trust_level = "trusted"

[mcp_servers.context7]
command = "npx"
args = ["-y", "@upstash/context7-mcp"]
env = { CONTEXT7_API_KEY = "ctx7sk-0123456789" }
startup_timeout_sec = 20.5

[[skills.config]]
path = '/home/ada/skills'
`,
  },
  vscode: {
    file: '.config/Code/User/mcp.json',
    servers: 'servers',
    text: `{\r
\t// servers for every workspace\r
\t"servers": {\r
\t\t"playwright": {\r
\t\t\t"command": "npx", /* from npm */\r
\t\t\t"args": ["@playwright/mcp@latest"],\r
\t\t\t"type": "stdio",\r
\t\t}, // keep\r
\t},\r
\t"inputs": []\r
}\r
`,
  },
  gemini: {
    file: '.gemini/settings.json',
    servers: 'mcpServers',
    text: `{
  // the theme of the terminal
  "ui": { "theme": "Dracula" },
  "security": { "auth": { "selectedType": "gemini-api-key" } }
}
`,
  },
  windsurf: { file: '.codeium/windsurf/mcp_config.json', servers: 'mcpServers', text: '{\n  "mcpServers": {}\n}' },
} as const;

export type OriginalName = keyof typeof originals;
export const originalNames = Object.keys(originals) as OriginalName[];

/** JSON without what only editors write. */
export const withoutComments = (text: string): string =>
  text
    .replace(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, kept?: string) => kept ?? '')
    .replace(/,(\s*[}\]])/g, '$1');

export const entryIn = (text: string, servers: string): Record<string, unknown> =>
  JSON.parse(withoutComments(text))[servers].mem;

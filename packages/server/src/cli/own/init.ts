import { UsageError } from '../failure.ts';
import { field, toggle } from '../fields.ts';
import { type ClientName, clientNames } from '../init/clients.ts';
import { isOn } from '../parse.ts';
import { ownCommand } from './command.ts';

/** Fails now on a name that would stop the MCP server later. */
async function toolsetIn(text: string | undefined): Promise<string | undefined> {
  if (text === undefined) return undefined;
  const { SettingsError, toolsetOf, toolsOf } = await import('@mem-service/mcp');
  try {
    toolsOf(toolsetOf(text));
    return text;
  } catch (error) {
    if (error instanceof SettingsError) throw new UsageError(error.message.replace('MEM_TOOLSET', '--toolset'));
    throw error;
  }
}

export const init = ownCommand({
  word: 'init',
  summary: 'Set up MCP clients, or undo it',
  about: `Finds the clients on this machine, shows what would change in their settings, asks, and writes: the server
itself, a short guide for the agent, and for Claude Code a skill and hooks that tell what memory knows when a
session starts and remind of the outcome when it ends. Files are replaced as a whole, with a copy of the old one
beside them; comments, order and everything else in them stay. Done twice, nothing changes.

It asks where the clients are to keep memory, and writes that down with the rest: your own store (~/.mem/store), the
store of this project (.amfs, kept out of git), or a server. --store answers it. A variable that decides it
(MEM_HTTP_URL, MEM_POSTGRES_DSN, MEM_DATA_DIR) is taken over without a question; where nobody can be asked, clients
keep what they have, and the first time it is your own store, with --project what mem status shows. With --project, nothing is written that holds on one machine only.

The key in MEM_API_KEY is never printed. It is not written down either, where a client can take it from its
environment; else the file is for the user alone. MEM_TOOLSET and MEM_BRANCH are taken over.`,
  flags: [
    field('client', 'Default: those that are found.', {
      kind: 'list',
      choices: clientNames,
    }),
    field('store', 'Where memory is: own, project, a folder, or the address of a server.'),
    toggle('project', 'Settings of the project in this folder, instead of those of the user.'),
    toggle('uninstall', 'Remove what mem init added, and nothing else.'),
    field(
      'toolset',
      'The tools to offer: core, slim for small contexts, all, or names such as core,rooms,evaluation. Default: MEM_TOOLSET, or core.',
    ),
    field('guide', 'Guides, skill and hooks too.', { kind: 'boolean', fallback: true }),
    toggle('dry-run', 'Show what would change, and write nothing.'),
    toggle('yes', 'Do not ask.'),
  ],
  examples: [
    ['mem init', 'set up the clients found, after confirmation'],
    ['mem init --dry-run', 'only look'],
    ['mem init --toolset slim', 'the most useful tools, for models with a small context'],
    ['mem init --client claude-code,cursor --yes', 'these two, without confirmation'],
    ['mem init --store own --yes', 'one memory for everything, without a question'],
    ['mem init --project --store project', 'for everybody who works on this project'],
    ['mem init --store https://mem.example.com', 'point the clients to a server'],
    ['mem init --uninstall', 'take it back'],
  ],
  async run(given, parts) {
    const names = given.get('client')?.flatMap((text) => text.split(',').map((name) => name.trim()));
    const wrong = names?.find((name) => !clientNames.some((client) => client === name));
    if (wrong !== undefined)
      throw new UsageError(`there is no client ${JSON.stringify(wrong)}: give ${clientNames.join(', ')}`);
    // Fails now on settings that would stop the server later.
    parts.readConfig();
    const { runInit } = await import('../init/index.ts');
    const options = {
      clients: names as ClientName[] | undefined,
      scope: isOn(given, 'project') ? ('project' as const) : ('user' as const),
      store: given.get('store')?.[0],
      uninstall: isOn(given, 'uninstall'),
      toolset: await toolsetIn(given.get('toolset')?.[0]),
      withGuides: given.get('guide')?.[0] !== 'false',
      dryRun: isOn(given, 'dry-run'),
      yes: isOn(given, 'yes'),
    };
    return runInit(options, parts);
  },
});

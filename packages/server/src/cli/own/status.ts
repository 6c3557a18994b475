import { toggle } from '../fields.ts';
import { readClientConfig } from '../memory.ts';
import { isOn } from '../parse.ts';
import { warn } from '../terminal.ts';
import { identityFlags, identityOf, ownCommand } from './command.ts';

export const status = ownCommand({
  word: 'status',
  summary: 'Show on one screen where the memory is and its state',
  about: `Which server or store is used and why, its version and size, how much it holds, on whose behalf commands run, what the
open session has read and recorded, how the last task went, and whether the clients of this machine use the same
memory. Nothing is changed: where there is no store yet, none is created.`,
  flags: [toggle('json', 'Print it as JSON.'), ...identityFlags],
  examples: [
    ['mem status', 'the store or server of this shell'],
    ['mem status --agent claude-code/ada', 'as that agent sees it'],
    ['MEM_HTTP_URL=https://mem.example.com mem status --json', 'a server, for another program'],
  ],
  async run(given, parts) {
    const config = readClientConfig(parts);
    for (const warning of config.warnings) warn(parts.terminal, warning);
    const { readStatus, showStatus } = await import('../status.ts');
    const current = await readStatus(parts, config, identityOf(given));
    const { terminal } = parts;
    terminal.out(isOn(given, 'json') ? `${JSON.stringify(current)}\n` : showStatus(current, terminal.screen));
    return 0;
  },
});

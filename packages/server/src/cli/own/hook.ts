import { field, toggle } from '../fields.ts';
import { exampleLines, syntaxHelp } from '../help-text.ts';
import { isOn, parseArgs } from '../parse.ts';
import { clean } from '../render/index.ts';
import type { OwnCommand } from './command.ts';

const events = ['session-start', 'stop'] as const;

const args = [field('event', 'What has happened.', { kind: 'choice', choices: events, required: true })];
const fields = [
  ...args,
  field('url', 'The server to ask. Default: MEM_HTTP_URL.'),
  field('data-dir', 'The folder of the store. Default: as for every command, from the folder of the session.'),
  toggle('help', 'Print this help.'),
];
const syntax = { word: 'hook', args, fields, common: [] };

const help = `${syntaxHelp(
  syntax,
  `Answer a hook of Claude Code.

mem init puts these lines into the settings of Claude Code, which runs them with JSON on standard input.
session-start tells in a few lines what memory knows about the project of the folder. stop reminds once to commit
the outcome, where the session has used memory since the last one. Whatever goes wrong, they say nothing and end
well: a client is never kept from its work.`,
)}

${exampleLines([
  ['the briefing for this folder', `echo '{"cwd":"'$PWD'"}' | mem hook session-start`],
  ['whether an outcome is due', `echo '{"transcript_path":"t.jsonl","session_id":"s"}' | mem hook stop`],
])}
`;

/** Not declared with `ownCommand`: its exit codes are defined by the client, where 2 keeps the session from ending. */
export const hook: OwnCommand = {
  word: 'hook',
  summary: 'Answer a hook of Claude Code',
  args,
  fields,
  help,
  async run(given, parts) {
    const { terminal } = parts;
    try {
      const parsed = parseArgs(syntax, given);
      if (isOn(parsed, 'help')) terminal.out(help);
      else await (await import('../hook/index.ts')).runHook(parsed, parts);
      return 0;
    } catch (error) {
      terminal.err(`mem: ${clean((error as Error).message)}\n`);
      return (error as Error).name === 'UsageError' ? 1 : 0;
    }
  },
};

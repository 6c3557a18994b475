import { commands } from '../commands.ts';
import { UsageError } from '../failure.ts';
import { field } from '../fields.ts';
import { exampleLines, rows } from '../help-text.ts';
import type { OwnCommand } from './command.ts';

const verbs = commands.filter(({ operation }) => operation.module === 'accounts');
const verbOf = (name: string) => name.slice(name.indexOf('.') + 1).replaceAll('_', '-');

const help = `Usage: mem account <verb> [arguments] [flags]

Manage the accounts of a hosted service (MEM_MODE=hosted): on the store of this machine, or on the server at
MEM_HTTP_URL with the key of the control plane in MEM_INTERNAL_KEY.

${rows(verbs.map(({ name, operation }) => [verbOf(name), operation.summary]))}

mem account <verb> --help tells the arguments and flags of each.

${exampleLines([
  ['Prints the first admin key, once.', 'mem account create "Example Ltd" --plan free'],
  ['All of them.', 'mem account list'],
  ['Refuses its keys; its data stays.', 'mem account update 3f0c1c1e-5f0a-4b53-9d2e-6f6f2b6f7a10 --status suspended'],
])}
`;

/** An older spelling of create-account and related commands. */
export const account: OwnCommand = {
  word: 'account',
  summary: 'Manage the accounts of a hosted service',
  hidden: true,
  args: [field('verb', 'What to do.', { choices: verbs.map(({ name }) => verbOf(name)), kind: 'choice' })],
  fields: [field('help', 'Print this help.', { kind: 'boolean' })],
  help,
  async run([verb, ...rest], parts) {
    if (verb === undefined || verb === '--help' || verb === '-h') {
      parts.terminal.out(help);
      return verb === undefined ? 2 : 0;
    }
    const command = verbs.find(({ name }) => verbOf(name) === verb);
    if (!command) throw new UsageError(`account has no verb ${JSON.stringify(verb)}: see mem account --help`);
    return parts.runCommand(command, rest);
  },
};

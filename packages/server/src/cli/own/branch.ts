import { currentBranch } from '../branch/chosen.ts';
import { connect } from '../connect.ts';
import { type ExitCode, UsageError } from '../failure.ts';
import { type CommandField, field, toggle } from '../fields.ts';
import { readClientConfig } from '../memory.ts';
import { isOn, type ParsedFlags } from '../parse.ts';
import { warn } from '../terminal.ts';
import { identityFlags, identityOf, type OwnParts, ownCommand, wholeNumber } from './command.ts';
import { runOperation } from './operation.ts';

const LIMIT = 50;
const LISTING: readonly CommandField[] = [
  field('all', 'Also those that were merged or closed.', { kind: 'boolean', isSwitch: true, also: ['a'] }),
  field('limit', 'How many branches.', { kind: 'number', fallback: LIMIT }),
  field('cursor', 'next_cursor of the page before.'),
];

export const branch = ownCommand({
  word: 'branch',
  module: 'branches',
  summary: 'List, create and close branches',
  about: `Without a name it lists the branches, newest first, with * at the current one: how many entries each has changed since
its fork (ahead), and its parent since then (behind). With a name it creates a branch; mem switch -c also goes on to it.`,
  args: [field('name', 'The branch to create, or with -d to close.')],
  flags: [
    field('from', 'The branch or state that a new one begins as. Default: the current branch.'),
    field('description', 'What a new branch is for.', { also: ['m'] }),
    field('close', 'Close the branch. It can still be read, and mem reopen-branch opens it again.', {
      kind: 'boolean',
      isSwitch: true,
      also: ['d'],
    }),
    ...LISTING,
    toggle('json', 'Print the answer as JSON.'),
    ...identityFlags,
  ],
  examples: [
    ['mem branch', 'which there are'],
    ['mem branch experiment/retries --description "do three attempts suffice?"', 'a new one'],
    ['mem branch fixes --from main@1200', 'one that begins as an earlier state'],
    ['mem branch -d experiment/retries', 'close it'],
  ],
  async run(given, parts) {
    const [name] = given.get('name') ?? [];
    refuseMixed(given, name);
    if (name === undefined) return list(given, parts);
    if (isOn(given, 'close') && name === 'main') throw new UsageError('main is not closed: it always exists');
    if (isOn(given, 'close')) return runOperation(parts, given, { name: 'branches.close', input: { name } });
    return create(name, given, parts);
  },
});

function refuseMixed(given: ParsedFlags, name: string | undefined): void {
  const isNew = name !== undefined && !isOn(given, 'close');
  if (name === undefined && isOn(given, 'close'))
    throw new UsageError('name the branch to close: mem branch -d <name>');
  const wrong = ['from', 'description'].find((flag) => given.has(flag) && !isNew);
  if (wrong !== undefined) throw new UsageError(`--${wrong} is for a new branch: mem branch <name> --${wrong} …`);
  const listing = LISTING.find(({ flag }) => given.has(flag) && name !== undefined);
  if (listing) throw new UsageError(`--${listing.flag} is for the list of branches, and not for one`);
}

/** As in git, a branch begins where one is. */
async function create(name: string, given: ParsedFlags, parts: OwnParts): Promise<ExitCode> {
  const from = given.get('from')?.[0] ?? readClientConfig(parts).branch?.name;
  const description = given.get('description')?.[0];
  return runOperation(parts, given, { name: 'branches.create', input: { name, from, description } });
}

async function list(given: ParsedFlags, parts: OwnParts): Promise<ExitCode> {
  const { terminal } = parts;
  const config = readClientConfig(parts);
  for (const warning of config.warnings) warn(terminal, warning);
  const { listBranches } = await import('../branch/list.ts');
  const { branchLines } = await import('../render/branches.ts');
  const connection = await connect(parts, config, { ...identityOf(given), creates: false });
  try {
    const found = await listBranches(connection, {
      current: await currentBranch(connection, config),
      all: isOn(given, 'all'),
      limit: wholeNumber(given, 'limit') ?? LIMIT,
      cursor: given.get('cursor')?.[0],
    });
    if (isOn(given, 'json')) terminal.out(`${JSON.stringify(found)}\n`);
    else terminal.out(branchLines(found, terminal.screen));
    if (found.has_more && !isOn(given, 'json')) terminal.err(`there is more: add --cursor ${found.next_cursor}\n`);
    return 0;
  } finally {
    await connection.close();
  }
}

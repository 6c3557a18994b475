import { currentBranch } from '../branch/chosen.ts';
import { connect } from '../connect.ts';
import { UsageError } from '../failure.ts';
import { field, toggle } from '../fields.ts';
import { readClientConfig } from '../memory.ts';
import { isOn, type ParsedFlags } from '../parse.ts';
import { identityFlags, identityOf, type OwnParts, ownCommand } from './command.ts';
import { runOperation } from './operation.ts';

export const tag = ownCommand({
  word: 'tag',
  module: 'tags',
  summary: 'Name a state of memory, list the names, or delete one',
  about: `Without a name it lists the tags, newest first. Memory as it was at a tag is read with --branch tags/<name>, compared with
mem diff tags/<name>, and brought back with mem rollback <name>.`,
  args: [field('name', 'The tag to set, or with -d to delete.')],
  flags: [
    field('at', 'The state: a branch, <branch>@<seq> or <branch>@<time>. Default: the current branch as it is now.'),
    field('description', 'Why it has a name.', { also: ['m'] }),
    field('delete', 'Delete the tag; what it named stays.', { kind: 'boolean', isSwitch: true, also: ['d'] }),
    field('limit', 'How many tags.', { kind: 'number' }),
    field('cursor', 'next_cursor of the page before.'),
    toggle('all', 'Follow the pages to the end.'),
    toggle('json', 'Print the answer as JSON.'),
    ...identityFlags,
  ],
  examples: [
    ['mem tag', 'which there are'],
    ['mem tag before-the-import', 'memory as it is now'],
    ['mem tag v1 --at main@1200 -m "the first release"', 'as it was at a place in the log'],
    ['mem tag -d before-the-import', 'delete the name'],
  ],
  async run(given, parts) {
    const [name] = given.get('name') ?? [];
    const isGone = isOn(given, 'delete');
    const wrong = ['at', 'description'].find((flag) => given.has(flag) && (name === undefined || isGone));
    if (wrong !== undefined) throw new UsageError(`--${wrong} is for a new tag: mem tag <name> --${wrong} …`);
    if (name === undefined && isGone) throw new UsageError('name the tag to delete: mem tag -d <name>');
    const [limit, cursor] = [given.get('limit')?.[0], given.get('cursor')?.[0]];
    if (name === undefined) return runOperation(parts, given, { name: 'tags.list', input: { limit, cursor } });
    if (isGone) return runOperation(parts, given, { name: 'tags.delete', input: { name } });
    const ref = given.get('at')?.[0] ?? (await here(given, parts));
    const description = given.get('description')?.[0];
    return runOperation(parts, given, { name: 'tags.create', input: { name, ref, description } });
  },
});

async function here(given: ParsedFlags, parts: OwnParts): Promise<string> {
  const config = readClientConfig(parts);
  if (config.branch) return config.branch.name;
  const connection = await connect(parts, config, { ...identityOf(given), creates: false });
  try {
    return await currentBranch(connection, config);
  } finally {
    await connection.close();
  }
}

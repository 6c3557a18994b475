import { UsageError } from '../failure.ts';
import { field, toggle } from '../fields.ts';
import { isOn } from '../parse.ts';
import { ownCommand } from './command.ts';

export const switchCommand = ownCommand({
  word: 'switch',
  module: 'branches',
  summary: 'Work on a branch in this folder',
  about: `From now on every command in this folder and below it is about that branch, and so are MCP servers and hooks that are
started there, unless --branch or MEM_BRANCH says otherwise. Where a store lies beside the files of a project (.amfs), it
is the whole project. The choice is kept in your home folder (~/.mem/branches.json), for this memory alone.`,
  args: [field('name', 'A branch, tags/<name> or another state to read, or - for the branch before.')],
  flags: [
    field('create', 'Create the branch first.', { kind: 'boolean', isSwitch: true, also: ['c'] }),
    field('from', 'With --create: the branch or state that it begins as. Default: the current branch.'),
    toggle('off', 'Forget the choice of this folder.'),
    field('agent', 'The agent on whose behalf this runs. Default: MEM_AGENT_ID, or cli.'),
  ],
  examples: [
    ['mem switch -c experiment/retries', 'a new branch, and on to it'],
    ['mem switch experiment/retries', 'one that exists'],
    ['mem switch main', 'back to what everybody sees'],
    ['mem switch -', 'to the branch before'],
    ['mem switch tags/v1', 'look around in an earlier state'],
  ],
  async run(given, parts) {
    const { dropSwitch, switchBranch } = await import('../branch/switch.ts');
    const [to] = given.get('name') ?? [];
    if (isOn(given, 'off')) {
      if (to !== undefined) throw new UsageError('give a branch or --off, not both');
      dropSwitch(parts);
      return 0;
    }
    if (to === undefined) throw new UsageError('name a branch: mem switch <name>; mem branch lists them');
    const creates = isOn(given, 'create');
    const [from] = given.get('from') ?? [];
    if (from !== undefined && !creates) throw new UsageError('--from is for a new branch: add --create');
    await switchBranch(parts, { to, creates, from, agent: given.get('agent')?.[0] });
    return 0;
  },
});

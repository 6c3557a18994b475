import type { Output } from '@mem-service/contract';
import { currentBranch } from '../branch/chosen.ts';
import { connect } from '../connect.ts';
import { UsageError } from '../failure.ts';
import { field, toggle } from '../fields.ts';
import { readClientConfig } from '../memory.ts';
import { isOn, type ParsedFlags } from '../parse.ts';
import { identityFlags, identityOf, type OwnParts, ownCommand } from './command.ts';
import { runOperation } from './operation.ts';

const MERGING = ['into', 'strategy', 'detection', 'resolutions', 'message', 'merge-id', 'expected-head'] as const;
const SWITCHES = ['keep-open', 'dry-run'] as const;

export const merge = ownCommand({
  word: 'merge',
  module: 'merges',
  summary: 'Merge a branch into another, or give up a merge',
  about: `All or nothing. Each entry keeps its author and time. Where both sides changed the same, nothing is merged, and the conflicts
wait: mem resolve decides them, the same command again goes on, and --abort gives the merge up.`,
  args: [field('name', 'The branch to merge. With --abort: the id of a merge that waits.')],
  flags: [
    field('into', 'The branch that is merged into. Default: the current branch.', { also: ['target'] }),
    field('strategy', 'Default: FAST_FORWARD, which merges only where the target has changed none of the entries.', {
      kind: 'choice',
      choices: ['FAST_FORWARD', 'THREE_WAY', 'BRANCH_WINS', 'MAIN_WINS', 'MANUAL', 'SQUASH'],
    }),
    field(
      'detection',
      'What a conflict is: two changes of the same member (field) or entry, or none, as the later wins.',
      {
        kind: 'choice',
        choices: ['field', 'entry', 'newest'],
      },
    ),
    field('resolutions', 'What conflicts take, as JSON: [{"entity_path": "a/**", "take": "source"}].', {
      kind: 'document',
    }),
    field('message', 'Why.', { also: ['m'] }),
    field('merge-id', 'The id of the merge, to try it again after conflicts.'),
    field('expected-head', 'Merge only if nothing was written to the target after this place in the log.', {
      kind: 'number',
    }),
    toggle('keep-open', 'Let the branch be written to after a merge into its parent.'),
    toggle('dry-run', 'Say what would be done, and do nothing.'),
    toggle('abort', 'Give up the merge with this id; without an id, the one that waits to go into the current branch.'),
    toggle('json', 'Print the answer as JSON.'),
    ...identityFlags,
  ],
  examples: [
    ['mem merge experiment/retries --dry-run', 'what it would bring'],
    ['mem merge experiment/retries --strategy THREE_WAY -m "three suffice"', 'where both sides have moved'],
    ['mem merge --abort', 'give up a merge with conflicts'],
  ],
  async run(given, parts) {
    const [name] = given.get('name') ?? [];
    const isGivenUp = isOn(given, 'abort');
    const wrong = [...MERGING, ...SWITCHES].find((flag) => isGivenUp && given.has(flag));
    if (wrong !== undefined) throw new UsageError(`--${wrong} is for a merge, and --abort gives one up`);
    if (isGivenUp) {
      const merge_id = name ?? (await waitingHere(given, parts));
      return runOperation(parts, given, { name: 'merges.abort', input: { merge_id } });
    }
    if (name === undefined) throw new UsageError('name the branch that is to be merged: mem merge <branch>');
    const [target, strategy, detection, resolutions, message, merge_id, expected_head] = MERGING.map(
      (flag) => given.get(flag)?.[0],
    );
    const [keep_open, dry_run] = SWITCHES.map((flag) => (isOn(given, flag) ? true : undefined));
    const how = { strategy, detection, resolutions, message, merge_id, expected_head, keep_open, dry_run };
    return runOperation(parts, given, { name: 'branches.merge', input: { name, target, ...how } });
  },
});

/** The id of the one merge into the current branch that waits for its conflicts. */
async function waitingHere(given: ParsedFlags, parts: OwnParts): Promise<string> {
  const config = readClientConfig(parts);
  const connection = await connect(parts, config, { ...identityOf(given), creates: false });
  try {
    const target = await currentBranch(connection, config);
    const text = await connection.call('merges.list', { target, status: 'conflicts' });
    const { merges } = JSON.parse(text) as Output<'merges.list'>;
    const [one, ...others] = merges;
    if (!one) throw new UsageError(`no merge into ${target} waits: mem merges --status conflicts lists all that do`);
    if (others.length === 0) return one.merge_id;
    const ids = merges.map(({ merge_id, source }) => `  mem merge --abort ${merge_id} (${source})`);
    throw new UsageError(`${merges.length} merges into ${target} wait: say which\n${ids.join('\n')}`);
  } finally {
    await connection.close();
  }
}

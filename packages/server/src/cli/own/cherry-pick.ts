import { UsageError } from '../failure.ts';
import { field, toggle } from '../fields.ts';
import { isOn } from '../parse.ts';
import { identityFlags, ownCommand } from './command.ts';
import { runOperation } from './operation.ts';

export const cherryPick = ownCommand({
  word: 'cherry-pick',
  module: 'branches',
  summary: 'Take single entries or commits from another branch',
  about: `Writes them to the current branch as they are in the other one, with their author and time. All or nothing. An entry is a
path and a key in one word (checkout/payments/gateway), or with a space (checkout/payments gateway).`,
  args: [
    field('from', 'The branch or state to take from.', { required: true }),
    field('entity_path', 'The entry: its path and key in one word, or its path.'),
    field('key', 'The key, where the word before is the path.'),
  ],
  flags: [
    field('entry', 'An entry, as path/key. Can be given several times.', { kind: 'list' }),
    field('commit', 'All that a commit wrote. Can be given several times.', { kind: 'list' }),
    field('branch', 'The branch that is written to. Default: the current branch.', { also: ['into'] }),
    field('message', 'Why.', { also: ['m'] }),
    toggle('dry-run', 'Say what would be done, and do nothing.'),
    toggle('json', 'Print the answer as JSON.'),
    ...identityFlags,
  ],
  examples: [
    ['mem cherry-pick experiment/timeouts checkout/payments/gateway', 'one entry'],
    [
      'mem cherry-pick tags/v1 --entry checkout/payments/gateway --entry checkout/cart/owner',
      'two, of an earlier state',
    ],
    ['mem cherry-pick experiment/timeouts --commit 01kfx3e5gh4c7m9q2r5t8w1y3z', 'what a commit wrote'],
  ],
  async run(given, parts) {
    const [[from], [path], [key]] = [given.get('from') ?? [], given.get('entity_path') ?? [], given.get('key') ?? []];
    if (from === undefined) throw new UsageError('say where to take from: mem cherry-pick <branch> <path/key>');
    const typed = path === undefined ? [] : [key === undefined ? addressOf(path) : { entity_path: path, key }];
    const entries = [...typed, ...(given.get('entry') ?? []).map(addressOf)];
    const commits = given.get('commit') ?? [];
    if (entries.length === 0 && commits.length === 0)
      throw new UsageError('say what to take: a path/key, --entry path/key or --commit id');
    const [branch, message] = ['branch', 'message'].map((flag) => given.get(flag)?.[0]);
    const input = {
      from,
      ...(entries.length > 0 ? { entries: JSON.stringify(entries) } : {}),
      ...(commits.length > 0 ? { commit_ids: JSON.stringify(commits) } : {}),
      ...{ branch, message, dry_run: isOn(given, 'dry-run') ? true : undefined },
    };
    return runOperation(parts, given, { name: 'entries.cherry_pick', input });
  },
});

function addressOf(text: string): { entity_path: string; key: string } {
  const [, entity_path, key] = /^(.+)\/([^/]+)$/.exec(text) ?? [];
  if (entity_path === undefined || key === undefined)
    throw new UsageError(`${JSON.stringify(text)} is no entry: give path/key`);
  return { entity_path, key };
}

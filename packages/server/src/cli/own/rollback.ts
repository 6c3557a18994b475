import { rollbackTarget } from '../branch/rollback-target.ts';
import { UsageError } from '../failure.ts';
import { field, toggle } from '../fields.ts';
import { isOn } from '../parse.ts';
import { identityFlags, ownCommand } from './command.ts';
import { runOperation } from './operation.ts';

export const rollback = ownCommand({
  word: 'rollback',
  module: 'rollback',
  summary: 'Bring memory back to an earlier state',
  about: `Writes the earlier state again, as new versions: nothing is lost, and what was first written since is deleted. A tag of
the state before is set first, so that a rollback to it undoes this one. Look with --dry-run what would change.`,
  args: [
    field('target', 'A tag, a time (2026-01-31 or with T12:00:00Z), a place in the log (1200), or <branch>@<either>.', {
      required: true,
    }),
  ],
  flags: [
    toggle('dry-run', 'Show what would change, and change nothing.'),
    field('path', 'Only entries at this path (a/b), below it (a/**) or one level below it (a/*).', {
      also: ['entity-path'],
    }),
    field('written-by', 'Only what this agent wrote since.'),
    field('source', 'Only what came from this connector or source of events.'),
    field('branch', 'The branch that goes back. Default: the current branch.'),
    field('limit', 'How many entries are shown.', { kind: 'number' }),
    field('cursor', 'With --dry-run: next_cursor of the page before.'),
    toggle('all', 'With --dry-run: follow the pages to the end.'),
    toggle('json', 'Print the answer as JSON.'),
    ...identityFlags,
  ],
  examples: [
    ['mem rollback before-the-import --dry-run', 'what would change'],
    ['mem rollback before-the-import', 'to a tag'],
    ['mem rollback 2026-01-31 --path "checkout/**"', 'to a day, below a path'],
    ['mem rollback 1200 --written-by importer', 'only what one agent did since'],
  ],
  async run(given, parts) {
    const [text] = given.get('target') ?? [];
    if (text === undefined)
      throw new UsageError('say what to go back to: mem rollback <tag, time or place in the log>');
    const { branch, ...target } = rollbackTarget(text);
    const [named] = given.get('branch') ?? [];
    if (branch !== undefined && named !== undefined && branch !== named)
      throw new UsageError(`${text} names the branch ${branch}, and --branch ${named}`);
    if (isOn(given, 'all') && !isOn(given, 'dry-run')) throw new UsageError('--all is for a dry run: add --dry-run');
    const [entity_path, written_by] = [given.get('path')?.[0], given.get('written-by')?.[0]];
    const [source, limit, cursor] = ['source', 'limit', 'cursor'].map((flag) => given.get(flag)?.[0]);
    const dry_run = isOn(given, 'dry-run') ? true : undefined;
    const input = { ...target, branch: branch ?? named, entity_path, written_by, source, limit, cursor, dry_run };
    return runOperation(parts, given, { name: 'rollback.run', input });
  },
});

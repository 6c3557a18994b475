import type { Output } from '@mem-service/contract';
import { currentBranch } from '../branch/chosen.ts';
import { type DiffWords, diffOf, isPastState } from '../branch/diff-words.ts';
import { explainDiff } from '../branch/explain.ts';
import { connect, type ServiceConnection } from '../connect.ts';
import { type ExitCode, problemOf, UsageError } from '../failure.ts';
import { field, toggle } from '../fields.ts';
import { readClientConfig } from '../memory.ts';
import type { ParsedFlags } from '../parse.ts';
import { identityFlags, identityOf, type OwnParts, ownCommand } from './command.ts';
import { runOperation } from './operation.ts';

export const diff = ownCommand({
  word: 'diff',
  module: 'branches',
  summary: 'Show what differs between branches, tags and times',
  about: `  mem diff              what the current branch changed since its fork
  mem diff              on a tag or another past state: what its branch changed since
  mem diff <branch>     what a branch changed since it was last in common with the current one
  mem diff <state>      what changed since a tag, <branch>@<seq> or <branch>@<time>
  mem diff <a> <b>      what differs between two of them; also <a>..<b>
  mem diff <a>...<b>    what b changed since it was last in common with a

Members of values are compared one by one, lists as a whole. mem diff-versions compares versions of one entry.`,
  args: [
    field('a', 'A branch, a tag, <branch>@<seq> or <branch>@<time>, or two with .. between them.'),
    field('b', 'What it is compared with.'),
  ],
  flags: [
    field('path', 'Only entries at this path (a/b), below it (a/**) or one level below it (a/*).', {
      also: ['entity-path'],
    }),
    field('limit', 'How many entries.', { kind: 'number' }),
    field('cursor', 'next_cursor of the page before.'),
    toggle('all', 'Follow the pages to the end.'),
    toggle('json', 'Print the answer as JSON.'),
    ...identityFlags,
  ],
  examples: [
    ['mem diff', 'what this branch changed'],
    ['mem diff experiment/retries', 'what a branch would bring'],
    ['mem diff tags/v1..main --path "checkout/**"', 'what happened since a tag, below a path'],
    ['mem diff main@1200 main@2026-01-31T12:00:00Z', 'between two states of the log'],
  ],
  async run(given, parts) {
    const typed = [given.get('a')?.[0], given.get('b')?.[0]] as const;
    let words: ComparedWords = typed;
    for (;;)
      try {
        return await compare(words, given, parts);
      } catch (error) {
        const tagged = withTag(words, error);
        if (!tagged) throw explainDiff(typed, error);
        words = tagged;
      }
  },
});

type ComparedWords = readonly [a: string | undefined, b: string | undefined];

async function compare(words: ComparedWords, given: ParsedFlags, parts: OwnParts): Promise<ExitCode> {
  const { kind, ...names } = await completed(diffOf(...words), given, parts);
  const rest = {
    entity_path: given.get('path')?.[0],
    limit: given.get('limit')?.[0],
    cursor: given.get('cursor')?.[0],
  };
  const name = kind === 'changes' ? 'branches.diff' : 'branches.compare';
  return runOperation(parts, given, { name, input: { ...names, ...rest } });
}

/** The words with `tags/` before the one that is no branch, as it may be the name of a tag. */
function withTag(words: ComparedWords, error: unknown): ComparedWords | undefined {
  const { code, branch } = problemOf(error);
  if (code !== 'branch_not_found' || typeof branch !== 'string' || isPastState(branch)) return undefined;
  const isNamed = words.some((word) => word?.split(/\.{2,3}/).includes(branch));
  const tagged = (word: string | undefined) =>
    word
      ?.split(/(\.{2,3})/)
      .map((part) => (part === branch ? `tags/${part}` : part))
      .join('');
  return isNamed ? [tagged(words[0]), tagged(words[1])] : undefined;
}

type DiffCall = { kind: 'changes'; name: string; against: string } | { kind: 'states'; from: string; to: string };

/** Fills in the current branch, and its parent. */
async function completed(asked: DiffWords, given: ParsedFlags, parts: OwnParts): Promise<DiffCall> {
  if (Object.values(asked).every((word) => word !== undefined)) return asked as DiffCall;
  const config = readClientConfig(parts);
  const connection = await connect(parts, config, { ...identityOf(given), creates: false });
  try {
    const current = await currentBranch(connection, config);
    if (asked.kind === 'states') return { kind: 'states', from: asked.from, to: current };
    const name = asked.name ?? current;
    if (isPastState(current) && asked.against === undefined)
      return { kind: 'states', from: current, to: asked.name ?? (await branchOf(connection, current)) };
    if (asked.against !== undefined) return { kind: 'changes', name, against: asked.against };
    if (name !== current) return { kind: 'changes', name, against: current };
    const { parent_branch }: Output<'branches.read'> = JSON.parse(await connection.call('branches.read', { name }));
    if (parent_branch === null)
      throw new UsageError(`name what to compare ${name} with: mem diff <branch>; mem branch lists them`);
    return { kind: 'changes', name, against: parent_branch };
  } finally {
    await connection.close();
  }
}

/** The branch that a past state is one of. */
async function branchOf(connection: ServiceConnection, state: string): Promise<string> {
  const [, tag] = /^tags\/(.*)$/.exec(state) ?? [];
  if (tag === undefined) return state.slice(0, state.lastIndexOf('@'));
  const { tags }: Output<'tags.list'> = JSON.parse(await connection.call('tags.list', { name: tag, limit: 1 }));
  return tags[0]?.of_branch ?? 'main';
}

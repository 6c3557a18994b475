import { suggest } from '@mem-service/contract';
import { commands } from '../commands.ts';
import { UsageError } from '../failure.ts';
import { field } from '../fields.ts';
import { exampleLines, rows } from '../help-text.ts';
import type { OwnCommand } from './command.ts';

/** The operation of each verb. */
const VERBS = {
  open: 'pull_requests.create',
  list: 'pull_requests.list',
  show: 'pull_requests.read',
  diff: 'branches.diff',
  review: 'pull_requests.review',
  merge: 'pull_requests.merge',
  edit: 'pull_requests.update',
  check: 'pull_requests.check',
  close: 'pull_requests.close',
  reopen: 'pull_requests.reopen',
} as const;

export type PullRequestVerb = keyof typeof VERBS;
const verbs = Object.keys(VERBS) as PullRequestVerb[];

const commandOf = (verb: PullRequestVerb) => {
  const command = commands.find(({ name }) => name === VERBS[verb]);
  if (!command) throw new Error(`there is no command for ${VERBS[verb]}`);
  return { ...command, fields: command.fields, args: command.args, common: command.common, word: `pr ${verb}` };
};

const summaryOf = (verb: PullRequestVerb) =>
  verb === 'diff' ? 'Show what a pull request would bring' : commandOf(verb).operation.summary;

const helpText = () => `Usage: mem pr <verb> [pull request] [arguments] [flags]

Ask that a branch be reviewed before it is merged, review it, and merge it.

${rows(verbs.map((verb) => [verb, summaryOf(verb)]))}

A pull request is named by its id or its branch; without a name it is the open one of the current branch. A review is given with
--approve, --request-changes or --comment. mem pr <verb> --help tells the arguments and flags of each.

${exampleLines([
  ['Ask for a review of the current branch.', 'mem pr open "Fewer retries" --into main'],
  ['What is open.', 'mem pr list --status open'],
  ['Reviews, checks, and what stands in the way of the merge.', 'mem pr show experiment/retries'],
  ['Its changes.', 'mem pr diff experiment/retries'],
  ['Approve it.', 'mem pr review experiment/retries --approve --comment "three suffice"'],
  ['Merge it.', 'mem pr merge experiment/retries'],
])}
`;

/** Pull requests by verbs, as `gh pr` has them. */
export const pr: OwnCommand = {
  word: 'pr',
  summary: 'Open, review and merge pull requests',
  module: 'branches',
  args: [
    field('verb', 'What to do.', { kind: 'choice', choices: verbs }),
    field('what', 'A pull request: its id or its branch; with open its title.'),
    field('more', 'Further arguments of the verb.'),
  ],
  fields: [
    ...commands
      .filter(({ name }) => name.startsWith('pull_requests.'))
      .flatMap(({ fields, common }) => [...fields, ...common])
      .filter((one, at, all) => all.findIndex(({ flag }) => flag === one.flag) === at),
    field('approve', 'With review: approve it.', { kind: 'boolean', isSwitch: true }),
    field('request-changes', 'With review: ask for changes.', { kind: 'boolean', isSwitch: true }),
  ],
  get help() {
    return helpText();
  },
  commandOf(given) {
    const verb = verbs.find((one) => one === given);
    return verb && commandOf(verb);
  },
  async run([given, ...rest], parts) {
    if (given === undefined || given === '--help' || given === '-h') {
      parts.terminal.out(helpText());
      return given === undefined ? 2 : 0;
    }
    const verb = verbs.find((one) => one === given);
    if (!verb)
      throw new UsageError(`mem pr has no ${JSON.stringify(given)}${suggest(given, verbs) || ': see mem help pr'}`);
    const { pullRequestWords } = await import('../branch/pull-request-words.ts');
    const command = commandOf(verb);
    return parts.runCommand(command, await pullRequestWords({ verb, command, words: rest }, parts));
  },
};

import { Fault, type Output } from '@mem-service/contract';
import type { Command } from '../commands.ts';
import { connect, type ServiceConnection } from '../connect.ts';
import { UsageError } from '../failure.ts';
import { readClientConfig } from '../memory.ts';
import type { OwnParts } from '../own/command.ts';
import type { PullRequestVerb } from '../own/pr.ts';
import { isOn, parseArgs } from '../parse.ts';
import { currentBranch } from './chosen.ts';

type TypedVerb = { verb: PullRequestVerb; command: Command; words: readonly string[] };

const ID = /^[0-9a-hjkmnp-tv-z]{26}$/;
const DECISIONS: Readonly<Record<string, string>> = {
  '--approve': '--decision=approved',
  '--request-changes': '--decision=changes_requested',
};

/** The words of the operation: which pull request is meant, and what a review decides. */
export async function pullRequestWords({ verb, command, words }: TypedVerb, parts: OwnParts): Promise<string[]> {
  const given = verb === 'review' ? decided(words) : [...words];
  if (verb === 'open' || verb === 'list' || given.includes('--help') || given.includes('-h')) return given;
  const [first, ...others] = given;
  const isNamed = first !== undefined && !first.startsWith('-');
  if (isNamed && ID.test(first) && verb !== 'diff') return given;
  const rest = isNamed ? others : given;
  const found = await findPullRequest(parts, { name: isNamed ? first : undefined, verb, agent: agentIn(rest) });
  if (verb !== 'diff') return [found.id, ...rest];
  refuseMore(command, rest);
  return [found.source_branch, found.target_branch, ...rest];
}

/** A comment alone neither approves nor blocks. */
function decided(words: readonly string[]): string[] {
  const named = words.map((word) => DECISIONS[word] ?? word);
  const decisions = named.filter((word) => /^--decision(=|$)|^(approved|changes_requested|commented)$/.test(word));
  const asksForHelp = named.includes('--help') || named.includes('-h');
  if (decisions.length === 1 || asksForHelp) return named;
  if (decisions.length > 1) throw new UsageError('give one decision: --approve, --request-changes or --comment alone');
  if (named.some((word) => /^--comment(=|$)/.test(word))) return [...named, '--decision=commented'];
  throw new UsageError('say what you decide: mem pr review --approve, --request-changes or --comment <text>');
}

function agentIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => /^--agent(=|$)/.test(word));
  const word = words[at];
  return word?.includes('=') ? word.slice(word.indexOf('=') + 1) : at < 0 ? undefined : words[at + 1];
}

/** The branches are those of the pull request. */
function refuseMore(command: Command, rest: readonly string[]): void {
  isOn(parseArgs({ ...command, args: [] }, rest), 'help');
}

type WantedPullRequest = { name: string | undefined; verb: PullRequestVerb; agent: string | undefined };
type ListedPullRequest = Output<'pull_requests.list'>['pull_requests'][number];

/** The pull request of this id, or else the newest of this branch or the current one: an open one, if there is any. */
async function findPullRequest(
  parts: OwnParts,
  { name, verb, agent }: WantedPullRequest,
): Promise<Pick<ListedPullRequest, 'id' | 'source_branch' | 'target_branch'>> {
  const config = readClientConfig(parts);
  const connection = await connect(parts, config, { agent, session: undefined, creates: false });
  try {
    if (name !== undefined && ID.test(name))
      return JSON.parse(await connection.call('pull_requests.read', { id: name }));
    const branch = name ?? (await currentBranch(connection, config));
    const found = await newestOf(connection, branch, verb === 'reopen' ? 'closed' : 'open');
    if (found) return found;
    throw new Fault(
      'not_found',
      `there is no pull request of ${branch}: mem pr list shows them, mem pr open makes one`,
    );
  } finally {
    await connection.close();
  }
}

async function newestOf(connection: ServiceConnection, source_branch: string, status: string) {
  for (const filter of [{ status }, {}]) {
    const asked = { source_branch, ...filter, limit: 1 };
    const page: Output<'pull_requests.list'> = JSON.parse(await connection.call('pull_requests.list', asked));
    if (page.pull_requests[0]) return page.pull_requests[0];
  }
  return undefined;
}

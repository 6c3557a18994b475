import type { TestApp } from '../support/app.ts';
import type { CountedIds, ExampleSetup, KnownIds } from './table.ts';

/** Where branches and main are made to differ: an entry that examples speak of. */
export type BranchSetup = ExampleSetup & { known: KnownIds; at: { entity_path: string; key: string }; n: number };

type BranchEntryAddress = BranchSetup['at'];

const writeOn =
  (app: TestApp, { as, extra, mark }: BranchSetup, branch: string) =>
  (at: BranchEntryAddress, member: object) =>
    app.call('entries.write', { ...at, value: { note: `about ${mark}`, ...member }, branch, ...extra } as never, as);

/** Something that the branch has and main has not, in a way that does not conflict with what main writes. */
export async function changeBranch(app: TestApp, setup: BranchSetup): Promise<void> {
  const { at, known, n } = setup;
  for (const key of [`${at.key}-of-branch`, `${at.key}-of-branch-too`])
    await writeOn(app, setup, known.name as string)({ ...at, key }, { max_attempts: n });
}

/** Something to merge that everyone may see and no question finds, as a merge of nothing is none. */
export async function changeOpenly(app: TestApp, { as, known, n }: Pick<BranchSetup, 'as' | 'known' | 'n'>) {
  const at = { entity_path: `unasked/${n}`, key: 'unasked', branch: known.name as string };
  await app.call('entries.write', { ...at, value: true }, as);
}

/** A branch that was merged can be written to again. */
async function reopenBranch(app: TestApp, setup: BranchSetup): Promise<void> {
  await app.call('branches.reopen', { name: setup.known.name as string }, setup.as);
  await changeBranch(app, setup);
}

/** A branch that is closed: what can be reopened. */
async function closeBranch(app: TestApp, { as, known, n }: BranchSetup): Promise<void> {
  const name = `experiment/closed-${n}`;
  await app.call('branches.create', { name }, as);
  await app.call('branches.close', { name }, as);
  known['branches.reopen'] = { name };
}

/** A branch that is protected: nothing else can be written to it. */
async function protectBranch(app: TestApp, { as, known, n }: BranchSetup): Promise<void> {
  const name = `experiment/protected-${n}`;
  await app.call('branches.create', { name }, as);
  await app.call('branches.protect', { name }, as);
  known['branches.protect'] = { name };
  known['branches.unprotect'] = { name };
}

/** A merge that waits for its conflicts to be resolved. */
async function waitForResolution(app: TestApp, setup: BranchSetup): Promise<void> {
  const { known, n, mark } = setup;
  const waiting = { name: `experiment/conflicting-${n}`, merge_id: `merge-${mark}-${n}` };
  if (await layConflicts(app, setup, waiting)) known.merge_id = waiting.merge_id;
}

const givenUp = new WeakMap<TestApp, number>();

/** One that can be given up. */
export async function waitToBeGivenUp(app: TestApp, setup: BranchSetup): Promise<void> {
  const no = (givenUp.get(app) ?? 0) + 1;
  givenUp.set(app, no);
  const waiting = { name: `experiment/given-up-${no}`, merge_id: `merge-${setup.mark}-given-up-${no}` };
  if (await layConflicts(app, setup, waiting)) setup.known['merges.abort'] = { merge_id: waiting.merge_id };
}

type WaitingMerge = { name: string; merge_id: string };

async function layConflicts(app: TestApp, setup: BranchSetup, { name, merge_id }: WaitingMerge): Promise<boolean> {
  const { as, at, only_open } = setup;
  if (only_open) {
    await app.call('branches.create', { name }, as);
    return false;
  }
  const disputed = [`${at.key}-disputed`, `${at.key}-disputed-too`].map((key) => ({ ...at, key }));
  const writeAll = async (branch: string, max_attempts: number) => {
    for (const one of disputed) await writeOn(app, setup, branch)(one, { max_attempts });
  };
  await writeAll('main', 0);
  await app.call('branches.create', { name }, as);
  await writeAll(name, 1);
  await writeAll('main', 2);
  const merged = app.call('branches.merge', { name, strategy: 'MANUAL', merge_id }, as);
  const code = await merged.then(
    () => 'merged',
    (error: { code: string }) => error.code,
  );
  if (code !== 'merge_conflicts') throw new Error(`expected conflicts: ${code}`);
  return true;
}

const proposals = new WeakMap<TestApp, number>();

/** A branch that can be proposed for a merge, with something to merge where that may be seen. */
async function newProposal(app: TestApp, setup: BranchSetup): Promise<string> {
  const no = (proposals.get(app) ?? 0) + 1;
  proposals.set(app, no);
  const name = `experiment/proposed-${no}`;
  await app.call('branches.create', { name }, setup.as);
  if (!setup.only_open) {
    const { at } = setup;
    await writeOn(app, setup, name)({ ...at, key: `${at.key}-proposed-${no}` }, { max_attempts: no });
  }
  return name;
}

/** More than are made between two of these. */
const IDS_AT_ONCE = 100_000;

/** Two stores whose ids are counted give the same ones from here on, whatever was made in each before. */
export function alignIds(app: TestApp): void {
  const { ids }: { ids: Partial<CountedIds> } = app.kernel.services;
  ids.skipToMultiple?.(IDS_AT_ONCE);
}

async function proposeBranch(app: TestApp, setup: BranchSetup): Promise<string> {
  const source_branch = await newProposal(app, setup);
  return (await app.call('pull_requests.create', { title: 'proposed', source_branch }, setup.as)).id;
}

/** What the next pull request can be made of. */
async function leaveUnproposed(app: TestApp, setup: BranchSetup): Promise<void> {
  setup.known['pull_requests.create'] = { source_branch: await newProposal(app, setup) };
}

async function openPullRequest(app: TestApp, setup: BranchSetup): Promise<void> {
  setup.known.id = await proposeBranch(app, setup);
}

/** One that can be reopened. */
async function closePullRequest(app: TestApp, setup: BranchSetup): Promise<void> {
  const id = await proposeBranch(app, setup);
  await app.call('pull_requests.close', { id }, setup.as);
  setup.known['pull_requests.reopen'] = { id };
}

/** Pull requests in every state. What examples made is closed, as it keeps its branch open. */
async function layPullRequests(app: TestApp, setup: BranchSetup): Promise<void> {
  const { as, known } = setup;
  for (const { id } of (await app.call('pull_requests.list', { status: 'open' }, as)).pull_requests)
    if (id === known.id) await app.call('pull_requests.close', { id }, as);
  alignIds(app);
  await openPullRequest(app, setup);
  await closePullRequest(app, setup);
  await leaveUnproposed(app, setup);
}

/** Keys that can be granted access. */
export async function createGrantees(app: TestApp, { as }: ExampleSetup, known: KnownIds): Promise<void> {
  known.grantee_id = (await app.call('keys.create', { name: 'grantee' }, as)).key_id;
  known.second_grantee_id = (await app.call('keys.create', { name: 'another grantee' }, as)).key_id;
}

/** A second key gets access to the branch. */
async function grantToAnother(app: TestApp, { as, known }: BranchSetup): Promise<void> {
  const grant = { name: known.name as string, grantee_type: 'api_key' as const, permission: 'read' as const };
  await app.call('access.grant', { ...grant, grantee_id: known.second_grantee_id as string }, as);
}

/** Two teams, one of them with two members. */
export async function layTeams(app: TestApp, { as }: Pick<ExampleSetup, 'as'>, known: KnownIds): Promise<void> {
  for (const slug of ['payments', 'refunds']) {
    const { team_id } = await app.call('teams.create', { name: slug, slug }, as);
    known.team_id = team_id;
  }
  for (const name of ['ada', 'grace']) {
    const member = { team_id: known.team_id as string, email: `${name}@example.org`, role: 'developer' as const };
    known.member_id = (await app.call('members.add', member, as)).member_id;
  }
}

/** States of branches that the examples need, and that no one branch can be in at once. */
export async function layBranches(app: TestApp, setup: BranchSetup): Promise<void> {
  if (!setup.only_open) await changeBranch(app, setup);
  await grantToAnother(app, setup);
  await closeBranch(app, setup);
  await protectBranch(app, setup);
  await waitForResolution(app, setup);
  await waitToBeGivenUp(app, setup);
  await layPullRequests(app, setup);
  await layQuarantine(app, setup);
}

/** A quarantine that holds nothing: the agent has not written. */
async function layQuarantine(app: TestApp, { as, known }: BranchSetup): Promise<void> {
  known.quarantine_id = (await app.call('quarantine.create', { written_by: 'agent/importer' }, as)).quarantine_id;
}

/** What an operation leaves in a state in which it cannot be called again, or has nothing to do. */
export const BRANCHES_AFTER: Record<string, (app: TestApp, setup: BranchSetup) => Promise<void>> = {
  'branches.close': changeBranch,
  'branches.reopen': closeBranch,
  'branches.merge': reopenBranch,
  'merges.abort': waitToBeGivenUp,
  'pull_requests.create': leaveUnproposed,
  'pull_requests.close': openPullRequest,
  'pull_requests.merge': openPullRequest,
  'pull_requests.reopen': closePullRequest,
};

import type { Output } from '@mem-service/contract';
import type { BranchList, ListedBranch } from '../branch/list.ts';
import type { AnswerItem } from './columns.ts';
import { counted } from './numbers.ts';
import { type Column, panel, table } from './table.ts';
import { paint, type Screen, show, when, whenOn } from './text.ts';

/** The branches with * at the current one, as git lists them. */
export function branchLines({ current, branches: listed }: BranchList, screen: Screen): string {
  const isKnown = listed.some(({ name }) => name === current);
  const name = ({ name }: ListedBranch, screen: Screen) =>
    name === current ? paint(screen, 'green', `* ${show(name)}`) : `  ${show(name)}`;
  const columns: Column<ListedBranch>[] = [
    { title: '  BRANCH', of: name, whole: true },
    { title: 'AHEAD', right: true, of: (branch) => countText(branch, branch.ahead) },
    { title: 'BEHIND', right: true, of: (branch) => countText(branch, branch.behind) },
    { title: 'PARENT', of: ({ parent_branch }) => show(parent_branch) },
    { title: 'STATE', of: stateOf },
    { title: 'BY', of: ({ created_by }) => show(created_by), extra: true, least: 8 },
    { title: 'CREATED', of: ({ created_at }, screen) => whenOn(screen, created_at), extra: true },
    { title: 'DESCRIPTION', of: ({ description }) => show(description), extra: true, least: 10 },
  ];
  const elsewhere = isKnown ? '' : `${paint(screen, 'green', `* ${show(current)}`)}, which is no branch of this list\n`;
  return `${table(listed, columns, screen)}${elsewhere}`;
}

/** Main has no parent to be compared with. */
const countText = ({ parent_branch, is_counted }: ListedBranch, count: number | undefined): string =>
  parent_branch === null || count === undefined ? '' : `${count}${is_counted === false ? '+' : ''}`;

const stateOf = ({ status, is_protected }: ListedBranch): string =>
  [status === 'active' ? '' : status, is_protected ? 'protected' : ''].filter(Boolean).join(', ');

/** One branch, for people. */
export function branchDetails(item: AnswerItem, screen: Screen): string {
  const branch = item as unknown as Output<'branches.read'>;
  const { name, parent_branch: parent, protection } = branch;
  const more = branch.is_counted ? '' : ', and more';
  return `${paint(screen, 'bold', show(name))}\n${panel(
    [
      ['status', branch.status],
      ['parent', parent === null ? '' : `${show(parent)}, as it was at ${branch.fork_seq}`],
      [
        'changed',
        parent === null ? '' : `${branch.ahead} here, ${branch.behind} on ${show(parent)} since the fork${more}`,
      ],
      ['protected', protection === null ? '' : protectionText(protection)],
      ['created', branch.created_at === null ? '' : `${when(branch.created_at)} by ${show(branch.created_by)}`],
      ['merged', branch.merged_at === null ? '' : `${when(branch.merged_at)} by ${show(branch.merged_by)}`],
      ['closed', branch.closed_at === null ? '' : `${when(branch.closed_at)} by ${show(branch.closed_by)}`],
      ['for', show(branch.description)],
    ],
    screen,
  )}`;
}

function protectionText(protection: NonNullable<Output<'branches.read'>['protection']>): string {
  const { required_approvals: approvals = 0, dismisses_approvals, required_checks: checks = [] } = protection;
  const needs = [
    approvals > 0 ? counted(approvals, 'approval') : '',
    dismisses_approvals ? 'given after the last write' : '',
    checks.length > 0 ? `the checks ${show(checks)}` : '',
  ].filter(Boolean);
  return `only merges write to it${needs.length > 0 ? `, with ${needs.join(', ')}` : ''}`;
}

type State = Output<'branches.create'>;

export function branchCreated(item: AnswerItem): string {
  const { name, parent_branch, fork_seq } = item as unknown as State;
  return `created ${show(name)} from ${show(parent_branch)}@${fork_seq}; mem switch ${show(name)} works on it\n`;
}

export const branchClosed = ({ name }: AnswerItem): string =>
  `closed ${show(name)}: it can still be read, and mem reopen-branch ${show(name)} opens it again\n`;

export const branchReopened = ({ name }: AnswerItem): string => `${show(name)} is open again\n`;

export const branchDescribed = ({ name, description }: AnswerItem): string =>
  `${show(name)}: ${show(description) || 'no description'}\n`;

export function branchProtected(item: AnswerItem): string {
  const { name, protection } = item as unknown as Output<'branches.protect'>;
  return `${show(name)}: ${protection ? protectionText(protection) : 'everybody with access writes to it'}\n`;
}

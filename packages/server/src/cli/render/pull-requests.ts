import type { Output } from '@mem-service/contract';
import type { AnswerItem } from './columns.ts';
import { counted } from './numbers.ts';
import { panel } from './table.ts';
import { type Colour, paint, type Screen, show, when } from './text.ts';

type PullRequest = Output<'pull_requests.create'>;
type Details = Output<'pull_requests.read'>;
type Review = Details['reviews'][number];
type ShownCheck = Details['checks'][number];

const wayOf = ({ source_branch, target_branch }: PullRequest): string =>
  `${show(source_branch)} into ${show(target_branch)}`;

/** What became of a pull request, in one line. */
const pullRequestLine =
  (done: string) =>
  (item: AnswerItem, screen: Screen): string => {
    const one = item as unknown as PullRequest;
    return `${done} ${paint(screen, 'yellow', show(one.id))} ${show(one.title)} (${wayOf(one)})\n`;
  };

export const pullRequestOpened = pullRequestLine('opened');
export const pullRequestChanged = pullRequestLine('changed');
export const pullRequestClosed = pullRequestLine('closed');
export const pullRequestReopened = pullRequestLine('opened again');

const DECISIONS: Record<Review['decision'], readonly [text: string, colour: Colour]> = {
  approved: ['approved', 'green'],
  changes_requested: ['asked for changes', 'red'],
  commented: ['commented', 'dim'],
};

export function reviewed(item: AnswerItem, screen: Screen): string {
  return `${reviewLine(item as unknown as Review, screen)}\n`;
}

function reviewLine(review: Review, screen: Screen): string {
  const [text, colour] = DECISIONS[review.decision];
  const about = review.entity_path === null ? '' : ` on ${show(review.entity_path)} ${show(review.key)}`;
  const comment = review.comment === '' ? '' : `: ${show(review.comment)}`;
  const dismissed = review.is_dismissed
    ? paint(screen, 'dim', ' (counts no more: the branch was written to since)')
    : '';
  return `${show(review.reviewer)} ${paint(screen, colour, text)}${about}${comment}${dismissed}`;
}

const STATUSES: Record<ShownCheck['status'], Colour> = {
  passed: 'green',
  failed: 'red',
  pending: 'yellow',
  neutral: 'dim',
};

export function checkPosted(item: AnswerItem, screen: Screen): string {
  return `${checkLines(item as unknown as ShownCheck, screen).join('\n')}\n`;
}

function checkLines(check: ShownCheck, screen: Screen): string[] {
  const required = check.is_required ? ', required' : '';
  const old = check.is_current ? '' : ', of an earlier state of the branch';
  const head = `${paint(screen, STATUSES[check.status], check.status.padEnd(7))} ${show(check.name)}${required}${old}`;
  const findings = check.findings.map(
    ({ entity_path, key, message }) => `${show(entity_path)} ${show(key)}: ${show(message)}`,
  );
  const questions = (check.questions ?? []).map((one) => {
    const names = (list: typeof one.lost) => list.map(({ entity_path, key }) => `${show(entity_path)} ${show(key)}`);
    const changes = [...names(one.entered).map((name) => `+${name}`), ...names(one.left).map((name) => `-${name}`)];
    return `"${show(one.question)}" would read otherwise: ${changes.join(', ') || 'in another order'}`;
  });
  const more = check.hidden > 0 ? [`and ${check.hidden} more`] : [];
  return [
    `${head}${check.summary === '' ? '' : `: ${show(check.summary)}`}`,
    ...[...findings, ...questions, ...more].map((line) => `          ${line}`),
  ];
}

/** A pull request with its reviews and checks, and what stands in the way. */
export function pullRequest(item: AnswerItem, screen: Screen): string {
  const one = item as unknown as Details;
  const facts = panel(
    [
      ['id', show(one.id)],
      ['merges', wayOf(one)],
      ['status', statusText(one)],
      ['by', `${show(one.created_by)}, ${when(one.created_at)}`],
      ['changes', changesText(one)],
      ['approvals', `${one.approvals}${one.required_approvals > 0 ? ` of ${one.required_approvals}` : ''}`],
      ['why', show(one.description)],
    ],
    screen,
  );
  const blocked = one.blocked_by.map(({ message }) => paint(screen, 'red', `! ${show(message)}`));
  const reviews = [...one.reviews].reverse().map((review) => `  ${reviewLine(review, screen)}`);
  const checks = one.checks.flatMap((check) => checkLines(check, screen).map((line) => `  ${line}`));
  const more = one.has_more_reviews ? ['  and earlier ones'] : [];
  const section = (title: string, lines: readonly string[]) => (lines.length === 0 ? [] : ['', title, ...lines]);
  const lines = [...blocked, ...section('Reviews:', [...more, ...reviews]), ...section('Checks:', checks)];
  return `${paint(screen, 'bold', show(one.title))}\n${facts}${lines.map((line) => `${line}\n`).join('')}`;
}

function statusText({ status, is_mergeable, conflicts, ...one }: Details): string {
  if (status === 'merged') return `merged by ${show(one.merged_by)}, ${when(one.merged_at)}`;
  if (status === 'closed') return `closed by ${show(one.closed_by)}, ${when(one.closed_at)}`;
  if (conflicts) return `open, with ${counted(conflicts, 'conflict')}`;
  return is_mergeable ? 'open, ready to be merged' : 'open';
}

function changesText({ changes }: Details): string {
  if (!changes) return '';
  const { added, modified, deleted, hidden } = changes;
  const unseen = hidden > 0 ? `, ${hidden} of them not to be seen by you` : '';
  return `${added} added, ${modified} modified, ${deleted} deleted${unseen}`;
}

import type { Output } from '@mem-service/contract';
import type { AnswerItem } from './columns.ts';
import { entryLabel } from './entry.ts';
import { rounded } from './numbers.ts';
import { facts } from './reports.ts';
import { brief, paint, type Screen, show } from './text.ts';

type Proposal = Output<'consolidation.proposals'>['proposals'][number];
type Candidate = Output<'consolidation.candidates'>['proposals'][number];

const VALUE_LENGTH = 160;

/** Each proposal with what stays and what goes, why, and how to decide. */
export const proposals = (item: AnswerItem, screen: Screen): string =>
  blocks(item.proposals as unknown as Proposal[], screen);

/** What a run would propose at a path. */
export function candidates(item: AnswerItem, screen: Screen): string {
  const found = item.proposals as unknown as Candidate[];
  const more =
    item.truncated === true ? `${paint(screen, 'dim', 'not all entries were looked at: mem consolidate')}\n` : '';
  return `${found.length === 0 ? 'nothing to propose\n' : blocks(found, screen)}${more}`;
}

export function proposal(item: AnswerItem, screen: Screen): string {
  return `${block(item as unknown as Proposal, screen)}\n`;
}

/** A run in numbers; a preview also shows what it would propose. */
export function consolidated({ candidates: planned, ...report }: AnswerItem, screen: Screen): string {
  const found = planned as unknown as Candidate[];
  return `${facts(report, screen)}${found.length === 0 ? '' : `\n${blocks(found, screen)}`}`;
}

const blocks = (list: readonly (Proposal | Candidate)[], screen: Screen): string =>
  `${list.map((one) => block(one, screen)).join('\n\n')}\n`;

function block(one: Proposal | Candidate, screen: Screen): string {
  const isStored = 'proposal_id' in one;
  const strategy = show(one.strategy).replaceAll('_', ' ');
  const status = isStored && one.status !== 'pending' ? `, ${one.status} by ${show(one.reviewed_by)}` : '';
  const head = `${paint(screen, 'bold', isStored ? show(one.proposal_id) : 'would propose')}  ${strategy}${status}`;
  const questions = (one.golden_queries ?? []).map(({ question, change }) => `answer ${change}: ${show(question)}`);
  const lines = [
    ...one.sources.map((source) => sourceLine(source, one, screen)),
    ...questions,
    paint(screen, 'dim', show(one.rationale)),
    ...(isStored && one.status === 'pending' ? [`mem decide ${show(one.proposal_id)} approve|reject`] : []),
  ];
  return [head, ...lines.map((line) => `  ${line}`)].join('\n');
}

function sourceLine(
  source: Candidate['sources'][number],
  { strategy, proposed_value }: Candidate,
  screen: Screen,
): string {
  const { kept, value, agent_id, confidence, evidence_status } = source;
  const status = evidence_status === 'untested' ? '' : ` ${evidence_status}`;
  const known = paint(screen, 'dim', `(by ${show(agent_id)}, ${rounded(confidence)}${status})`);
  const what = kept ? paint(screen, 'green', 'keeps  ') : paint(screen, 'red', 'removes');
  const now = brief(value, VALUE_LENGTH);
  const later = brief(proposed_value, VALUE_LENGTH);
  const change = kept && strategy === 'suggested' && later !== now ? `; it will say: ${later}` : '';
  return `${what} ${entryLabel(source, screen)} ${known}: ${now}${change}`;
}

import type { Output } from '@mem-service/contract';
import { commandOfTool } from '../commands.ts';
import type { AnswerItem } from './columns.ts';
import { entryLabel } from './entry.ts';
import { counted, rounded } from './numbers.ts';
import { brief, paint, type Screen, show, when } from './text.ts';

type BriefingOutput = Output<'briefing.read'>;
type BriefingItem = BriefingOutput['changed'][number] | BriefingOutput['validated'][number];

const VALUE_LENGTH = 160;

const TITLES: Readonly<Record<BriefingOutput['left_out'][number]['section'], string>> = {
  digests: 'Known here',
  validated: 'Held up',
  discredited: 'Refuted by outcomes',
  procedures: 'How to',
  changed: 'Changed since your last visit',
  tried_here: 'Tried here',
  who_to_ask: 'Who to ask',
};

/** What to know before work begins, a block for each section that says something. */
export function briefing(item: AnswerItem, screen: Screen): string {
  const answer = item as unknown as BriefingOutput;
  const { validated, discredited, procedures, changed, tried_here, who_to_ask, digests, last_visit } = answer;
  const entries = (list: readonly BriefingItem[]) => list.map((one) => entryLine(one, screen));
  const titles = last_visit ? TITLES : { ...TITLES, changed: 'Newest' };
  const since = last_visit ? `${titles.changed}, ${when(last_visit.at)}` : titles.changed;
  const blocks = [
    ...block(
      titles.digests,
      digests.map((one) => digestLine(one, screen)),
      screen,
    ),
    ...block(titles.validated, entries(validated), screen),
    ...block(
      titles.discredited,
      discredited.map((one) => refutedLine(one, screen)),
      screen,
    ),
    ...block(titles.procedures, entries(procedures), screen),
    ...block(since, entries(changed), screen),
    ...block(
      titles.tried_here,
      tried_here.map((one) => triedLine(one, screen)),
      screen,
    ),
    ...block(
      titles.who_to_ask,
      who_to_ask.map(({ agent_id, reason }) => `${show(agent_id)}  ${paint(screen, 'dim', show(reason))}`),
      screen,
    ),
    ...block('To decide', answer.consolidation_notice ? [decisionLine(answer.consolidation_notice)] : [], screen),
    ...block('First', answer.next_steps.map(forPeople), screen),
  ];
  const notes = answer.left_out.map(
    ({ section, count }) => `${counted(count, 'item')} of "${titles[section]}" did not fit in --max-tokens`,
  );
  if (notes.length > 0) blocks.push(paint(screen, 'dim', notes.join('\n')));
  return blocks.length === 0 ? 'nothing to say about this yet\n' : `${blocks.join('\n\n')}\n`;
}

/** Steps name the tools of agents. */
const forPeople = (step: string): string => show(step.replaceAll(/\bmem_\w+/g, commandOfTool));

const block = (title: string, lines: readonly string[], screen: Screen): string[] =>
  lines.length === 0 ? [] : [[paint(screen, 'bold', title), ...lines.map((line) => `  ${line}`)].join('\n')];

const label = ({ entity_path, key }: { entity_path: string; key: string }, screen: Screen): string =>
  entryLabel({ entity_path, key }, screen);

function entryLine(entry: BriefingItem, screen: Screen): string {
  const status = entry.evidence_status === 'untested' ? '' : ` ${entry.evidence_status}`;
  const change = 'change' in entry ? `${entry.change} ` : '';
  const facts = `${change}by ${show(entry.agent_id)}, ${rounded(entry.confidence)}${status}`;
  const value = 'change' in entry && entry.change === 'deleted' ? '' : `: ${brief(entry.value, VALUE_LENGTH)}`;
  return `${label(entry, screen)} ${paint(screen, 'dim', `(${facts})`)}${value}`;
}

function refutedLine(entry: BriefingOutput['discredited'][number], screen: Screen): string {
  const instead = entry.replaced_by.map((one) => label(one, screen)).join(', ');
  const failures = counted(entry.failure_count, 'failure');
  const facts = paint(screen, 'dim', `(${failures})`);
  return `${label(entry, screen)} ${facts}${instead === '' ? '' : `; instead ${instead}`}`;
}

function triedLine(
  { action, won, n, last_3, outcome_ref, note }: BriefingOutput['tried_here'][number],
  screen: Screen,
) {
  const ended = `${won} of ${n} succeeded, last ${show(last_3[0])} (${show(outcome_ref)})`;
  return `${brief(action, VALUE_LENGTH)}  ${paint(screen, 'dim', ended)}${note === null ? '' : `: ${brief(note, VALUE_LENGTH)}`}`;
}

const decisionLine = ({ pending_proposals }: NonNullable<BriefingOutput['consolidation_notice']>): string =>
  `${counted(pending_proposals, 'proposal')} of consolidation: mem proposals`;

function digestLine(
  { digest_type, scope, summary, anticipation_score }: BriefingOutput['digests'][number],
  screen: Screen,
) {
  const chance = `chance that you read here next: ${Math.round(anticipation_score * 100)} %`;
  const facts = paint(screen, 'dim', `(${digest_type}, ${chance})`);
  return `${show(scope)} ${facts}: ${brief(summary.narrative, 2 * VALUE_LENGTH)}`;
}

import type { Output } from '@mem-service/contract';
import { eraseCommand } from '../../shell-text.ts';
import type { AnswerItem } from './columns.ts';
import { pretty } from './json.ts';
import { rounded } from './numbers.ts';
import { panel } from './table.ts';
import { eventText, paint, type Screen, show, when, widthOf } from './text.ts';

export const entryLabel = (item: AnswerItem, screen: Screen): string =>
  `${paint(screen, 'cyan', show(item.entity_path))} ${paint(screen, 'bold', show(item.key))}`;

/** Entry names with the version read, padded so that the following text is aligned. */
export function alignedNames(items: readonly AnswerItem[], screen: Screen): string[] {
  const names = items.map((item) => ({
    item,
    version: item.read_version === null ? '' : ` v${show(item.read_version)}`,
  }));
  const plain: Screen = { width: undefined, colour: false };
  const widths = names.map(({ item, version }) => widthOf(entryLabel(item, plain) + version));
  const most = widths.reduce((widest, width) => Math.max(widest, width), 0);
  return names.map(
    ({ item, version }, at) => entryLabel(item, screen) + version + ' '.repeat(most - (widths[at] as number)),
  );
}

/** One entry: its author, confidence and value. */
export function entry(item: AnswerItem, screen: Screen): string {
  const { agent_id, session_id, written_at, pattern_refs } = (item.provenance ?? {}) as AnswerItem;
  const facts = panel(
    [
      ['version', show(item.version)],
      ['type', show(item.memory_type)],
      ['confidence', confidenceOf(item)],
      ['evidence', evidence(item)],
      ['agent', session_id ? `${show(agent_id)} (session ${show(session_id)})` : show(agent_id)],
      ['written', when(written_at)],
      ['event', eventText(item.event, when)],
      ['expires', when(item.ttl_at)],
      ['branch', item.branch === 'main' ? '' : show(item.branch)],
      ['state', item.quarantined === true ? paint(screen, 'red', 'under quarantine: reads leave it out') : ''],
      ['visible', item.shared === false ? 'to its agent only' : ''],
      ['patterns', show(pattern_refs)],
      ['artifacts', (item.artifact_refs as AnswerItem[] | undefined)?.map(({ uri }) => show(uri)).join(', ') ?? ''],
      ['commit', show(item.commit_id)],
      ['score', typeof item.score === 'number' ? rounded(item.score) : ''],
    ],
    screen,
  );
  return `${entryLabel(item, screen)}\n${facts}\n${item.deleted === true ? '(deleted)' : pretty(item.value)}\n`;
}

/** Adds the effective confidence where it has decayed. */
function confidenceOf({ confidence, effective_confidence }: AnswerItem): string {
  const stored = rounded(confidence as number);
  const faded = typeof effective_confidence === 'number' ? rounded(effective_confidence) : stored;
  return faded === stored ? stored : `${stored}, faded to ${faded}`;
}

function evidence({ outcome_count, success_count, failure_count, evidence_status }: AnswerItem): string {
  if (!outcome_count) return '';
  return `${show(evidence_status)}: ${show(success_count)} for, ${show(failure_count)} against`;
}

type ShownWarning = Output<'entries.write'>['warnings'][number];

/** For the person at the terminal, who can erase what looks like a secret. */
function warningText({ entity_path, key, kinds }: ShownWarning, branch: unknown): string {
  const command = eraseCommand({ entity_path, key, branch: typeof branch === 'string' ? branch : undefined });
  return `the value looks like a secret (${kinds.join(', ')}); to take it out with its history: ${command}`;
}

/** Says where, unless everybody sees it. */
const onBranch = ({ branch }: AnswerItem): string =>
  branch === undefined || branch === 'main' ? '' : ` on ${show(branch)}`;

/** The result of a write in one sentence, followed by hints. */
export function written(item: AnswerItem, screen: Screen): string {
  const done = item.unchanged === true ? 'unchanged' : 'wrote';
  const { issues = [] } = (item.quality ?? {}) as { issues?: { message: string; suggestion: string }[] };
  const hints = issues.map(({ message, suggestion }) => `hint: ${show(message)} ${show(suggestion)}`.trimEnd());
  const { warnings = [] } = item as { warnings?: ShownWarning[] };
  const warned = warnings.map((one) => paint(screen, 'yellow', `warning: ${show(warningText(one, item.branch))}`));
  const line = `${done} ${entryLabel(item, screen)}, version ${show(item.version)}${onBranch(item)}`;
  return `${[line, ...warned, ...hints.map((hint) => paint(screen, 'dim', hint))].join('\n')}\n`;
}

export const deleted = (item: AnswerItem, screen: Screen): string =>
  `deleted ${entryLabel(item, screen)}, version ${show(item.version)}${onBranch(item)}; its history stays\n`;

export function restored(item: AnswerItem, screen: Screen): string {
  const done = item.unchanged === true ? 'is what it already holds' : `is back as version ${show(item.version)}`;
  return `${entryLabel(item, screen)}: version ${show(item.restored_from)} ${done}\n`;
}

import { JsonText } from '@mem-service/contract';
import { type AnswerItem, columnsOf } from './columns.ts';
import { changeLines, type FieldChange } from './differences.ts';
import { entryLabel } from './entry.ts';
import { figureText, readable } from './figures.ts';
import { counted, rounded } from './numbers.ts';
import { panel, table } from './table.ts';
import { paint, type Screen, show, when } from './text.ts';

/** Lines with + and -, as in a patch. */
export function diff(item: AnswerItem, screen: Screen): string {
  const versions = `version ${item.old_version ?? 'none'} to ${show(item.new_version)}`;
  const head = `${entryLabel(item, screen)}, ${versions}: ${show(item.diff_type)}`;
  const lines = changeLines(item.changes as unknown as FieldChange[], screen);
  return `${[head, ...lines].join('\n')}\n`;
}

const BREAKS: Record<string, string> = {
  missing_version: 'is missing',
  chain_mismatch: 'does not follow from the one before it',
  head_mismatch: 'is not what the current entry holds',
};

/** The number of problems found by a verification. */
export const problemCount = ({ corrupted = [], chain_breaks = [], damaged = [], problems = [] }: AnswerItem): number =>
  [corrupted, chain_breaks, damaged, problems].reduce<number>((sum, list) => sum + (list as AnswerItem[]).length, 0);

function verified(item: AnswerItem, what: string, screen: Screen): string {
  const checked = `checked ${counted(item.total_checked as number, what)}`;
  const problems = problemCount(item);
  if (problems === 0) return `${checked}: ${paint(screen, 'green', 'all intact')}`;
  return `${checked}: ${paint(screen, 'red', counted(problems, 'problem'))}`;
}

export function verify(item: AnswerItem, screen: Screen): string {
  const lines = [
    ...(item.corrupted as AnswerItem[]).map((one) => ({ one, what: 'does not match its hash' })),
    ...(item.chain_breaks as AnswerItem[]).map((one) => ({
      one,
      what: BREAKS[String(one.reason)] ?? show(one.reason),
    })),
  ].map(({ one, what }) => `${entryLabel(one, screen)}: version ${show(one.version)} ${what}`);
  const damaged = ((item.damaged ?? []) as AnswerItem[]).map((one) => damagedLine(one, screen));
  const todo = damaged.length > 0 ? ['the store is damaged: mem doctor names its pages; restore a backup'] : [];
  return `${[verified(item, 'version', screen), ...lines, ...damaged, ...todo].join('\n')}\n`;
}

function damagedLine(one: AnswerItem, screen: Screen): string {
  if (one.entity_path === null) return show(one.detail);
  const version = one.version === null ? '' : `version ${show(one.version)} `;
  return `${entryLabel(one, screen)}: ${version}${show(one.detail)}`;
}

export function verifyTraces(item: AnswerItem, screen: Screen): string {
  const lines = (item.problems as AnswerItem[]).map(
    ({ trace_id, detail }) => `${paint(screen, 'yellow', show(trace_id))}: ${show(detail)}`,
  );
  return `${[verified(item, 'trace', screen), ...lines].join('\n')}\n`;
}

const AUDIT_PROBLEMS: Record<string, string> = {
  missing: 'is missing',
  changed: 'was changed',
  subject_changed: 'names another thing than was written',
  unchained: 'has no hash',
  end_missing: 'is the last that was written, and the trail ends elsewhere',
};

export function verifyAudit(item: AnswerItem, screen: Screen): string {
  const lines = (item.problems as AnswerItem[]).map(
    ({ no, reason }) => `line ${paint(screen, 'yellow', show(no))} ${AUDIT_PROBLEMS[String(reason)] ?? show(reason)}`,
  );
  const isTampered = lines.length > 0;
  const meaning = isTampered ? ['the audit trail is not as it was written: somebody changed it in the database'] : [];
  return `${[verified(item, 'line', screen), ...lines, ...meaning].join('\n')}\n`;
}

/** Any answer as names and values, with lists of objects as tables below. */
export function facts(item: AnswerItem, screen: Screen): string {
  const pairs = Object.entries(item).flatMap(([name, found]) => pairsOf(name, found));
  const tables = Object.entries(item).filter(([, found]) => isList(found)) as [string, AnswerItem[]][];
  const blocks = tables.map(
    ([name, items]) => `\n${name}\n${table(items, columnsOf(undefined, items, screen), screen)}`,
  );
  return panel(pairs, screen) + blocks.join('');
}

const isList = (found: unknown) =>
  Array.isArray(found) && found.length > 0 && typeof found[0] === 'object' && !(found[0] instanceof JsonText);

function pairsOf(name: string, found: unknown): [string, string][] {
  const title = name.replaceAll('_', ' ');
  if (isList(found)) return [];
  if (/_at$/.test(name) && typeof found !== 'number') return [[title, when(found)]];
  if (/_ratio$/.test(name) && typeof found === 'number') return [[title, rounded(found)]];
  if (typeof found !== 'object' || found === null || found instanceof JsonText || Array.isArray(found))
    return [[title, readable(found)]];
  const figure = figureText(found);
  if (figure !== undefined) return [[title, figure]];
  return Object.entries(found).map(([inner, one]) => [`${title} ${inner.replaceAll('_', ' ')}`, readable(one)]);
}

import type { OperationName } from '@mem-service/contract';
import { shortId } from '../trace-ids.ts';
import { wordsOf } from './outcome-name.ts';
import type { Column } from './table.ts';
import { show, when } from './text.ts';

export type AnswerItem = Record<string, unknown>;

const of = (title: string, field: string): Column<AnswerItem> => ({ title, of: (item) => show(item[field]) });
const count = (title: string, field: string): Column<AnswerItem> => ({ ...of(title, field), right: true });
const time = (field: string): Column<AnswerItem> => ({ title: 'WHEN', of: (item) => when(item[field]) });
const ratio = (title: string, field: string): Column<AnswerItem> => ({
  title,
  right: true,
  of: (item) => (typeof item[field] === 'number' ? item[field].toFixed(2) : ''),
});

const provenance = (item: AnswerItem) => (item.provenance ?? {}) as AnswerItem;
const path = of('PATH', 'entity_path');
const key = of('KEY', 'key');
const version = count('VER', 'version');

const written: Column<AnswerItem>[] = [
  version,
  ratio('CONF', 'confidence'),
  of('TYPE', 'memory_type'),
  { title: 'AGENT', of: (item) => show(provenance(item).agent_id) },
  { title: 'WHEN', of: (item) => when(provenance(item).written_at) },
  { title: 'VALUE', of: (item) => (item.deleted === true ? '(deleted)' : show(item.value)) },
];

/** The columns of each list. */
export const columns: Partial<Record<OperationName, readonly Column<AnswerItem>[]>> = {
  'entries.list': [path, key, ...written],
  'entries.search': [path, key, ratio('SCORE', 'score'), ...written],
  'entries.history': written,
  'entities.list': [
    path,
    count('ENTRIES', 'entry_count'),
    ratio('CONF', 'avg_confidence'),
    of('AGENT', 'last_agent'),
    time('last_updated'),
  ],
  'patterns.list': [of('PATTERN', 'pattern_ref'), count('USES', 'usage_count'), time('last_used')],
  'commits.list': [
    of('COMMIT', 'commit_id'),
    count('ENTRIES', 'entries_written'),
    of('AGENT', 'author_agent_id'),
    time('created_at'),
    of('MESSAGE', 'message'),
  ],
  'outcomes.list': [
    of('REF', 'outcome_ref'),
    { title: 'OUTCOME', of: ({ outcome_type }) => wordsOf(outcome_type) },
    { title: 'MOVED', right: true, of: ({ entries }) => String(movedBy(entries as AnswerItem[])) },
    of('AGENT', 'agent_id'),
    time('committed_at'),
    { title: 'TRACE', of: ({ trace_id }) => shortId(show(trace_id)) },
    of('DECISION', 'decision_summary'),
  ],
  'agents.list': [
    of('AGENT', 'agent_id'),
    count('ENTRIES', 'entries_written'),
    { title: 'LAST ACTIVE', of: (item) => when(item.last_active) },
    of('PLATFORM', 'platform'),
    of('TAGS', 'tags'),
    of('DESCRIPTION', 'description'),
  ],
  'agents.activity': [time('timestamp'), of('TYPE', 'type'), of('BY', 'actor_agent_id'), of('SUMMARY', 'summary')],
  'log.list': [
    count('SEQ', 'seq'),
    of('TYPE', 'event_type'),
    path,
    key,
    version,
    of('AGENT', 'agent_id'),
    time('created_at'),
    of('DETAILS', 'details'),
  ],
};

/** Counts an entry of several attempts once. */
const movedBy = (entries: readonly AnswerItem[]): number =>
  new Set(
    entries
      .filter(({ applied }) => applied)
      .map(({ branch, entity_path, key }) => [branch, entity_path, key].join('\n')),
  ).size;

/** For a list without declared columns: the members of its items. */
export function anyColumns(items: readonly AnswerItem[]): Column<AnswerItem>[] {
  const names = new Set(items.flatMap((item) => Object.keys(item)));
  return [...names].map((name) => ({ ...of(name.toUpperCase(), name), right: items.every(isNumber(name)) }));
}

const isNumber = (name: string) => (item: AnswerItem) => typeof item[name] === 'number' || item[name] === undefined;

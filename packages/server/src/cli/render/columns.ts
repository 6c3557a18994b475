import type { OperationName } from '@mem-service/contract';
import { shortId } from '../trace-ids.ts';
import { type AnswerItem, count, of, ratio, type TerminalLayout, time, version } from './column-makers.ts';
import { evaluationColumns, evaluationLayouts } from './evaluation-columns.ts';
import { readable } from './figures.ts';
import { wordsOf } from './outcome-name.ts';
import type { Column } from './table.ts';
import { eventText, type Screen, show, whenOn } from './text.ts';

export type { AnswerItem } from './column-makers.ts';

const provenance = (item: AnswerItem) => (item.provenance ?? {}) as AnswerItem;
const path = of('PATH', 'entity_path');
const key = of('KEY', 'key');

const written: Column<AnswerItem>[] = [
  version,
  ratio('CONF', 'confidence'),
  of('TYPE', 'memory_type'),
  { title: 'AGENT', of: (item) => show(provenance(item).agent_id) },
  { title: 'WHEN', of: (item, screen) => whenOn(screen, provenance(item).written_at) },
  { title: 'VALUE', of: (item) => (item.deleted === true ? '(deleted)' : show(item.value)) },
  { title: 'STATE', of: ({ quarantined }) => (quarantined === true ? 'quarantined' : '') },
];

const state = (title: string, field: string): Column<AnswerItem> => ({
  title,
  of: (item) => show((item[field] as AnswerItem | null)?.ref),
});

const event: Column<AnswerItem> = {
  title: 'EVENT',
  of: (item, screen) => eventText(item.event, (iso) => whenOn(screen, iso)),
};

/** The columns of each list, all of which are printed where the output is not a terminal. */
const columns: Partial<Record<OperationName, readonly Column<AnswerItem>[]>> = {
  'entries.list': [path, key, ...written],
  'entries.search': [path, key, ratio('SCORE', 'score'), ...written],
  'entries.history': [...written, event],
  'entities.list': [
    path,
    count('ENTRIES', 'entry_count'),
    ratio('CONF', 'avg_confidence'),
    of('AGENT', 'last_agent'),
    time('last_updated'),
  ],
  'entities.tree': [
    { title: 'PATH', of: ({ entity_path, below }) => `${entity_path}${below ? '/' : ''}` },
    count('ENTRIES', 'entry_count'),
    count('PATHS', 'path_count'),
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
    { title: 'LAST ACTIVE', of: (item, screen) => whenOn(screen, item.last_active) },
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
  'pull_requests.list': [
    of('ID', 'id'),
    of('TITLE', 'title'),
    of('FROM', 'source_branch'),
    of('INTO', 'target_branch'),
    of('STATUS', 'status'),
    of('BY', 'created_by'),
    time('updated_at'),
  ],
  'merges.list': [
    of('MERGE_ID', 'merge_id'),
    of('KIND', 'kind'),
    of('STATUS', 'status'),
    of('SOURCE', 'source'),
    of('TARGET', 'target'),
    state('BASE', 'base'),
    of('STRATEGY', 'strategy'),
    ...['added', 'modified', 'deleted', 'conflicts'].map((name) => count(name.toUpperCase(), name)),
    of('BY', 'agent_id'),
    time('created_at'),
    of('COMMIT', 'commit_id'),
    of('MESSAGE', 'message'),
  ],
  'quarantine.list': [
    of('QUARANTINE_ID', 'quarantine_id'),
    of('STATUS', 'status'),
    count('ENTRIES', 'entries'),
    count('DECISIONS', 'decisions'),
    of('BY', 'agent_id'),
    time('created_at'),
    of('REASON', 'reason'),
    { title: 'UNDONE', of: (item, screen) => whenOn(screen, item.undone_at) },
  ],
  ...evaluationColumns,
  'tags.list': [
    of('NAME', 'name'),
    { title: 'STATE', of: ({ of_branch, seq }) => `${show(of_branch)}@${show(seq)}` },
    of('BY', 'agent_id'),
    time('created_at'),
    of('DESCRIPTION', 'description'),
  ],
  'events.list': [
    of('TYPE', 'event_type'),
    of('AGENT', 'agent_id'),
    of('STATUS', 'status'),
    path,
    key,
    version,
    time('received_at'),
    of('ID', 'id'),
  ],
  'dead_letters.list': [
    of('LETTER', 'letter_id'),
    of('CONNECTOR', 'connector'),
    of('TYPE', 'event_type'),
    count('TRIED', 'attempts'),
    { title: 'NEXT', of: (item, screen) => whenOn(screen, item.next_attempt_at) },
    time('received_at'),
    of('REASON', 'reason'),
  ],
};

/** Counts an entry of several attempts once. */
const movedBy = (entries: readonly AnswerItem[]): number =>
  new Set(
    entries
      .filter(({ applied }) => applied)
      .map(({ branch, entity_path, key }) => [branch, entity_path, key].join('\n')),
  ).size;

const entryLayout: TerminalLayout = {
  main: ['PATH', 'KEY', 'VALUE', 'STATE', 'CONF', 'WHEN'],
  extra: ['AGENT', 'TYPE', 'VER', 'SCORE'],
};

const layouts: Partial<Record<OperationName, TerminalLayout>> = {
  'entries.list': entryLayout,
  'entries.search': entryLayout,
  'entries.history': { main: ['VER', 'VALUE', 'STATE', 'CONF', 'WHEN', 'AGENT'], extra: ['EVENT', 'TYPE'] },
  'commits.list': { main: ['COMMIT', 'MESSAGE', 'WHEN'], extra: ['AGENT', 'ENTRIES'] },
  'outcomes.list': { main: ['REF', 'OUTCOME', 'MOVED', 'WHEN'], extra: ['DECISION', 'AGENT', 'TRACE'] },
  'agents.list': { main: ['AGENT', 'ENTRIES', 'LAST ACTIVE'], extra: ['DESCRIPTION', 'PLATFORM', 'TAGS'] },
  'log.list': { main: ['SEQ', 'TYPE', 'PATH', 'KEY', 'WHEN'], extra: ['AGENT', 'VER', 'DETAILS'] },
  'pull_requests.list': {
    main: ['ID', 'FROM', 'TITLE', 'STATUS', 'WHEN'],
    extra: ['INTO', 'BY'],
    names: ['FROM', 'INTO'],
  },
  'merges.list': {
    main: ['MERGE_ID', 'SOURCE', 'TARGET', 'STATUS', 'WHEN'],
    extra: ['BASE', 'KIND', 'BY', 'MESSAGE', 'STRATEGY'],
    names: ['SOURCE', 'TARGET', 'BASE'],
  },
  'quarantine.list': { main: ['QUARANTINE_ID', 'STATUS', 'ENTRIES', 'REASON', 'WHEN'], extra: ['BY', 'DECISIONS'] },
  ...evaluationLayouts,
  'events.list': { main: ['TYPE', 'STATUS', 'PATH', 'KEY', 'WHEN'], extra: ['AGENT', 'VER', 'ID'] },
  'dead_letters.list': { main: ['LETTER', 'CONNECTOR', 'TYPE', 'REASON', 'WHEN'], extra: ['TRIED', 'NEXT'] },
  'keys.list': {
    main: ['NAME', 'KEY_TYPE', 'ACTIVE', 'KEY_ID', 'LAST_USED_AT'],
    extra: ['PREFIX', 'EXPIRES_AT', 'ENTITY_PATHS', 'DEFAULT_BRANCH', 'RATE_LIMIT_RPM', 'CREATED_AT', 'SCOPES'],
  },
  'audit.list': {
    main: ['NO', 'ACTION', 'RESOURCE', 'AGENT_ID', 'AT'],
    extra: ['ACTOR', 'KEY_NAME', 'USER', 'IP_ADDRESS', 'REQUEST_ID'],
  },
  'accounts.list': { main: ['NAME', 'PLAN', 'STATUS', 'ACCOUNT_ID'], extra: ['CREATED_AT'] },
  'tags.list': { main: ['NAME', 'STATE', 'WHEN'], extra: ['DESCRIPTION', 'BY'], names: ['NAME', 'STATE'] },
};

/** Ids are typed again, and numbers, times and states are short: none is cut. The id of an agent is a name. */
const ID = /^(?:ID|(?!AGENT_)\w+_ID|COMMIT|LETTER|TRACE|PREFIX)$/;
const SHORT = /^(?:WHEN|STATE|LAST ACTIVE|(?:.*_)?AT)$/;
const LEAST: Readonly<Record<string, number>> = { VALUE: 32, PATH: 14 };
const LEAST_WIDTH = 10;

/** The columns of a list: all where the output is not a terminal, on a terminal those that say most. */
export function columnsOf(name: OperationName | undefined, items: readonly AnswerItem[], screen: Screen) {
  const all = (name && columns[name]) ?? anyColumns(items);
  if (screen.width === undefined) return all;
  const { main, extra = [], names = [] } = (name && layouts[name]) ?? layoutOf(all);
  const titled = (wanted: string) =>
    all.filter(({ title }) => title === wanted).map((column) => onTerminal(column, names));
  return [
    ...main.flatMap(titled),
    ...extra.flatMap((title) => titled(title).map((column) => ({ ...column, extra: true as const }))),
  ];
}

const layoutOf = (all: readonly Column<AnswerItem>[]): TerminalLayout => ({
  main: all.slice(0, 1).map(({ title }) => title),
  extra: all.slice(1).map(({ title }) => title),
});

function onTerminal(column: Column<AnswerItem>, names: readonly string[]): Column<AnswerItem> {
  const { title, right } = column;
  if (ID.test(title) || names.includes(title)) return { ...column, whole: true };
  return right || SHORT.test(title) ? column : { ...column, least: LEAST[title] ?? LEAST_WIDTH };
}

/** For a list without declared columns: the members of its items. */
function anyColumns(items: readonly AnswerItem[]): Column<AnswerItem>[] {
  const names = new Set(items.flatMap((item) => Object.keys(item)));
  return [...names].map((name) => ({
    title: name.toUpperCase(),
    of: (item, screen) => (isTime(name) ? whenOn(screen, item[name]) || show(item[name]) : readable(item[name])),
    right: items.every(isNumber(name)),
  }));
}

const isTime = (name: string) => /(?:^|_)at$/.test(name);
const isNumber = (name: string) => (item: AnswerItem) => typeof item[name] === 'number' || item[name] === undefined;

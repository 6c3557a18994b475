/** A command as it is listed: with the module of its operation, or of those that it combines. */
export type SubjectWord = { word: string; summary: string; module: string };

/** Titles of the modules for new users, in the order in which they need them. */
const TITLES: readonly (readonly [title: string, ...modules: string[]])[] = [
  ['Entries: keep what is known, and find it again', 'entries', 'search', 'recall', 'briefing', 'commits'],
  ['Sessions: note what an agent does, and see what led to what', 'sessions'],
  ['Outcomes: say how it went, so that confidence follows', 'outcomes'],
  ['Traces: look back at sessions that have ended', 'traces', 'trace-navigation', 'training-export'],
  ['Digests: what is known, in a few sentences', 'cortex'],
  ['Consolidation: find what is double, contradicts or is out of date', 'consolidation'],
  ['Golden queries: questions with known answers, and how answers are weighed', 'golden'],
  ['Events from outside: what tools report, and the connectors that understand them', 'ingestion'],
  ['Agents: who works here, and on what', 'agents'],
  ['Graph: how things are connected', 'graph'],
  ['Branches: try something without the others believing it', 'branches', 'merges', 'access', 'pull-requests'],
  ['Tags: name a state of memory, and read it again later', 'tags'],
  ['Rollback: bring back an earlier state, copy the memory of an agent', 'rollback'],
  ['Quarantine: find what rests on bad memory, and take it out of reads', 'quarantine'],
  [
    'Evaluation: let judges look at traces, and see what they found',
    'judges',
    'verdicts',
    'budgets',
    'backfills',
    'incidents',
    'investigations',
    'behaviors',
    'segments',
    'attribution',
    'cases',
    'alerts',
    'fixes',
    'patterns',
  ],
  ['Rooms: share memory with agents of other accounts', 'rooms', 'negotiations', 'room-documents'],
  [
    'Keys and accounts: who may use the service',
    'keys',
    'teams',
    'audit',
    'accounts',
    'usage',
    'activity',
    'retention',
    'consumers',
  ],
  ['Overview: numbers, events and health', 'counts', 'log', 'series', 'system'],
];

export type CommandGroup = { title: string; members: SubjectWord[] };

/** All commands in groups; a module without a title forms its own group. */
export function groupsOf(words: readonly SubjectWord[]): CommandGroup[] {
  const named = new Set(TITLES.flatMap(([, ...modules]) => modules));
  const others = new Set(words.map(({ module }) => module).filter((module) => !named.has(module)));
  const all = [...TITLES, ...[...others].map((module) => [module, module] as const)];
  return all
    .map(([title, ...modules]) => ({ title, members: words.filter(({ module }) => modules.includes(module)) }))
    .filter(({ members }) => members.length > 0);
}

import { confidence, counted, number } from './format.ts';

export const overview = {
  title: 'Overview',
  range: 'Range',
  ranges: { '1h': '1 h', '24h': '24 h', '7d': '7 d', '30d': '30 d' },
  inRange: { '1h': 'in this hour', '24h': 'in 24 hours', '7d': 'in 7 days', '30d': 'in 30 days' },
  lastOf: { '1h': 'last hour', '24h': 'last 24 hours', '7d': 'last 7 days', '30d': 'last 30 days' },
  figures: {
    entries: 'Entries',
    written: (n: number, when: string) => `${counted(n, 'write')} ${when}`,
    agents: 'Active agents',
    agentsOf: (n: number) => `of ${number(n)}`,
    agentsNew: (n: number) => (n === 0 ? 'none new' : `${number(n)} seen for the first time`),
    outcomes: 'Outcomes',
    succeeded: (n: number) => `${number(n)} succeeded`,
    failed: (n: number) => `${number(n)} failed`,
    newest: (n: number) => `of the newest ${number(n)}`,
    noOutcome: (when: string) => `none ${when}`,
    confidence: 'Average confidence',
    movedUpDown: (up: number, down: number) => `${number(up)} up, ${number(down)} down`,
    movedNewest: (n: number) => `by the newest ${counted(n, 'outcome')}`,
    unmoved: (when: string) => `nothing moved ${when}`,
    stale: 'Stale reads',
    staleFailed: (n: number) => (n === 0 ? 'none led to a failure' : `${number(n)} led to a failure`),
    none: '–',
    confidenceHint: 'Over all entries: how sure they are, as outcomes have left it.',
    staleHint: 'Work that ended with an outcome after others had changed what it had read.',
  },
  activity: {
    title: 'Activity',
    per: { minute: 'events per minute', hour: 'events per hour', day: 'events per day' },
    series: {
      read: 'Reads across agents',
      write: 'Writes',
      outcome: 'Outcomes',
      failed: 'Failed outcomes',
      error: 'Errors',
      other: 'Other',
    },
    label: (unit: string, range: string, highest: string) => `Events per ${unit} in the ${range}, ${highest}`,
    highest: (n: number, when: string) => `highest at ${when} with ${number(n)}`,
    nothing: 'none so far',
    now: 'now',
    incomplete: (when: string) => `Complete since ${when}; earlier events may be missing.`,
  },
  trends: {
    title: 'Over time',
    per: { minute: 'by minute', hour: 'by hour', day: 'by day' },
    lines: { entries: 'Entries written', agents: 'Active agents', outcomes: 'Outcomes' },
    total: (n: number) => `${number(n)} in all`,
    most: (n: number) => `at most ${number(n)}`,
    over: (unit: string, range: string) => `per ${unit} in the ${range}`,
    label: (line: string, over: string, highest: string) => `${line} ${over}, ${highest}`,
    table: (over: string) => `Entries, agents and outcomes ${over}`,
    incomplete: (when: string) => `Complete since ${when}; earlier numbers may be too low.`,
  },
  live: {
    title: 'Live',
    note: 'newest first',
    paused: 'paused',
    type: 'type',
    agent: 'agent',
    all: 'all',
    timeline: 'Open timeline',
    columns: { time: 'Time', agent: 'Agent', event: 'Event', what: 'What', confidence: 'Confidence' },
    nothing: 'Nothing has happened yet. Events appear here as they are committed.',
    nothingMatches: 'No event matches.',
    showNew: (n: number) => `Show ${number(n)} new`,
    announce: (n: number, failures: number) =>
      `${counted(n, 'new event')}${failures === 0 ? '' : `, ${counted(failures, 'failure')}`}`,
  },
  needs: {
    title: 'Needs a person',
    nothing: 'Nothing needs you now.',
    outcome: 'Outcome',
    contested: 'Contested',
    stale: 'Stale read',
    review: 'Review',
    failing: 'Incident',
    alert: 'Alert',
    outcomeTitle: (type: string, ref: string) => `${type} of ${ref}`,
    outcomeNote: (n: number) => (n === 0 ? 'no entry answers for it' : `${counted(n, 'entry', 'entries')} led to it`),
    contestedNote: (won: number, lost: number) =>
      `${counted(won, 'success', 'successes')}, ${counted(lost, 'failure')}`,
    staleTitle: (key: string, version: number) => `${key} v${version}`,
    staleNote: (read: { agent_id: string; current_version: number | null; changed_by: string | null }) => {
      const then = read.current_version === null ? 'it was gone' : `v${read.current_version}`;
      return `${read.agent_id} acted on it after ${then}${read.changed_by === null ? '' : ` by ${read.changed_by}`}`;
    },
    more: {
      failing: 'More incidents',
      alert: 'More alerts',
      outcome: 'More such outcomes',
      contested: 'More contested entries',
      review: 'More pull requests',
    },
    reviewNote: (source: string, target: string) => `${source} into ${target}`,
  },
  moved: {
    title: 'Confidence moved',
    today: 'today',
    nothing: (when: string) => `No outcome moved a confidence ${when}.`,
    last: ({ outcome_type, before, after }: { outcome_type: string; before: number; after: number }) =>
      `last: ${outcome_type}, ${confidence(before)} → ${confidence(after)}`,
    now: ({ version, confidence: stands }: { version: number; confidence: number }) =>
      `now v${version}, at ${confidence(stands)}`,
  },
  agents: {
    title: (when: string) => `Agents, ${when}`,
    nothing: (when: string) => `No agent was active ${when}.`,
    writes: (n: number) => counted(n, 'write'),
    outcomes: (n: number) => counted(n, 'outcome'),
    failed: (n: number) => `${number(n)} failed`,
  },
  empty: {
    title: 'Nothing is stored yet.',
    hint: 'Write the first entry, or connect an agent; it appears here at once.',
    ways: { curl: 'curl', claude: 'Claude Code', mcp: 'Other MCP clients' },
    wayHints: {
      curl: 'Paste it into a shell. Write another value, and the entry has two versions.',
      claude: 'Paste it into a shell, in the folder of a project. Its agents then have the memory as tools.',
      mcp: 'Put it into the settings of the client: .cursor/mcp.json for Cursor. This does so for seven clients, and asks first:',
    },
    keyHint: 'Set MEM_API_KEY to your key first.',
    way: 'With',
    code: 'Commands that write the first entry',
    tour: 'Take the tour with demo data',
    demo: 'Load demo data',
    demoHint:
      'The tour shows demo data, and loads it first: five agents and their work, all of it under demo/. One click removes it again.',
    loading: (done: number, total: number) => `Demo data: ${done} of ${total} steps`,
    removeDemo: 'Remove demo data',
    demoShown: 'This store has demo data under demo/.',
    removed: ({ erased, kept }: { erased: number; kept: number }) =>
      `Demo data removed: ${counted(erased, 'entry', 'entries')}.${
        kept === 0
          ? ''
          : ` ${kept} ${kept === 1 ? 'stays' : 'stay'}, since others changed ${kept === 1 ? 'it' : 'them'}.`
      } Counts of the past stay.`,
  },
} as const;

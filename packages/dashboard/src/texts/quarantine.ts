import { counted, number } from './format.ts';

const entries = (n: number) => counted(n, 'entry', 'entries');

/** Texts of picking single entries, and of entries that are taken out of reads. */
export const pick = {
  choose: (name: string) => `Choose ${name}`,
  chosen: (n: number) => `${entries(n)} chosen`,
  clear: 'Clear',
  action: 'Pick onto a branch…',
  title: (n: number, from: string) => `Pick ${entries(n)} from ${from}`,
  hint: 'They are written to the branch as they are here, with their author and time. All or none of them.',
  target: 'Onto',
  message: 'Message',
  submit: 'Pick',
  done: (n: number, target: string) => `${entries(n)} picked onto ${target}`,
  undone: (target: string) => `${target} is as it was before`,
} as const;

export const quarantine = {
  title: 'Quarantine',
  note: 'entries that reads leave out until they are released',
  status: { active: 'Active', undone: 'Released', all: 'All' },
  statusOf: { active: 'active', undone: 'released' },
  columns: {
    reason: 'Reason',
    state: 'State',
    entries: 'Entries',
    decisions: 'Decisions',
    by: 'By',
    at: 'When',
  },
  noReason: 'No reason was given',
  none: 'Nothing is under quarantine.',
  noneHint:
    'An entry that turned out to be wrong, and everything that was written by those who had read it, is taken out of reads in one step. No version is lost.',
  add: 'Quarantine…',
  create: {
    title: 'Put entries under quarantine',
    by: 'Begin with',
    kinds: { entry: 'An entry', agent: 'What an agent wrote', source: 'What a connector sent' },
    path: 'Path',
    key: 'Key',
    agent: 'Agent',
    source: 'Connector or source',
    follow: 'Also what was written by those who had read it, and so on',
    reason: 'Reason',
    reasonHint: 'For those who look at it later.',
    submit: 'Put under quarantine',
    found: 'What would be taken out',
    counts: (n: number, decisions: number) => `${entries(n)}; ${counted(decisions, 'decision')} rested on them.`,
    hidden: (n: number) => `${counted(n, 'more entry', 'more entries')} that you may not see.`,
    incomplete: 'The search ended at a bound: there may be more.',
    nothing: 'Nothing was found.',
    done: (n: number) => `${entries(n)} under quarantine`,
  },
  release: 'Release',
  released: (n: number) => `${entries(n)} released`,
  steps: (n: number) => (n === 0 ? 'named' : counted(n, 'step')),
  stepsHint: 'How far it is from what was named',
  entries: 'Entries',
  entryColumns: { entry: 'Entry', branch: 'Branch', by: 'Written by', depth: 'Steps', state: 'State' },
  held: 'under quarantine',
  notHeld: 'released',
  back: 'All quarantines',
  decisions: (n: number) => `${number(n)} rested on them`,
} as const;

import { counted, number } from './format.ts';

export const transferTexts = {
  export: {
    title: 'Export',
    hint: 'The whole account as it is at one moment, as JSON Lines: every version, trace and line of the audit trail, private entries included. Another account takes it as it is.',
    start: 'Export',
    progress: (done: number, total: number, size: string) => `${number(done)} of ${counted(total, 'line')}, ${size}`,
    preparing: 'Waiting for the first line',
    done: (lines: number, size: string) => `${counted(lines, 'line')}, ${size}, are in your downloads.`,
    file: (day: string) => `mem-export-${day}.jsonl`,
    stopped: 'The export was cancelled; nothing was downloaded.',
    incomplete: 'The export is not whole: the number of lines does not fit its header. Try again.',
  },
  import: {
    title: 'Import',
    hint: 'Takes the file of an export into an account that nobody has written to yet. Until the last step the account stays empty; after it, it is whole.',
    notEmpty:
      'This account is in use: it has events, or lines in its audit trail. An export goes into a new one only; here a file can be checked.',
    file: 'File of an export',
    check: 'Check only',
    checkHint: 'Reads and checks every line, and changes nothing.',
    start: 'Import',
    startCheck: 'Check file',
    progress: (done: number, total: number | undefined) =>
      total === undefined
        ? `${counted(done, 'line')} handed over`
        : `${number(done)} of ${counted(total, 'line')} handed over`,
    checked: (done: number, total: number | undefined) =>
      total === undefined ? `${counted(done, 'line')} checked` : `${number(done)} of ${counted(total, 'line')} checked`,
    finishing: 'Putting all lines into the account',
    done: (lines: number, seq: number) =>
      `${counted(lines, 'line')} are in the account. Its log goes on after event ${number(seq)}.`,
    checkedDone: (lines: number) => `${counted(lines, 'line')} checked: the file can be imported.`,
    cancelled: 'Cancelled. The account is as it was.',
    noHeader: 'This is not the file of an export: its first line is no header.',
    lineTooLong: 'This is not the file of an export: it has a line that is longer than any of those.',
    waiting: (n: number) => `An earlier import handed over ${counted(n, 'line')} and did not end.`,
    discard: 'Drop these lines',
    discarded: 'Dropped',
  },
} as const;

export const teamsTexts = {
  create: 'New team',
  columns: { name: 'Team', slug: 'Slug', members: 'Members', created: 'Created' },
  nothing: 'There is no team yet.',
  nothingHint: 'A team has members, each with a role and keys of their own.',
  form: {
    title: 'New team',
    name: 'Name',
    slug: 'Slug',
    slugHint: 'Small letters, digits and hyphens, for addresses',
    description: 'Description',
    submit: 'Create team',
  },
  delete: 'Delete',
  deleteTitle: (name: string) => `Delete ${name}`,
  deleteHint: 'With its members, for good: their keys stop working, and what was granted to the team is gone.',
  deleted: (name: string) => `${name} is deleted`,
  members: 'Members',
  noMembers: 'It has no member yet.',
  addMember: 'Add member',
  member: {
    title: (team: string) => `Add a member to ${team}`,
    email: 'E-mail',
    name: 'Name',
    role: 'Role',
    submit: 'Add member',
    added: (email: string) => `${email} is a member`,
    remove: (email: string) => `Remove ${email}`,
    removed: (email: string) => `${email} is removed; their keys stop working`,
    changed: (email: string, role: string) => `${email} is ${role}`,
    roleOf: (email: string) => `Role of ${email}`,
  },
  roles: { admin: 'admin', developer: 'developer', viewer: 'viewer' },
  roleHints: { admin: 'Keys may be any.', developer: 'Keys are of no type admin.', viewer: 'Keys only read.' },
} as const;

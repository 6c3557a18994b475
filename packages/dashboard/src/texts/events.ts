import { counted } from './format.ts';

/** What happened, in a few words beside the names that the screen shows as links. */
export const eventTexts = {
  into: (target: string) => `into ${target}`,
  version: (version: number | null, type: unknown) =>
    [version === null ? '' : `v${version}`, type].filter(Boolean).join(', '),
  ofAgent: (agent: string, version: number | null) => `of ${agent}${version === null ? '' : `, v${version}`}`,
  byAgent: (agent: string) => `by ${agent}`,
  moved: (n: number) => (n === 0 ? 'nothing moved' : `${counted(n, 'entry', 'entries')} moved`),
  sealed: 'sealed',
  digest: (type: string) => `${type} digest`.trim(),
  deleted: 'deleted',
  expired: 'expired',
  entries: (n: number) => counted(n, 'entry', 'entries'),
  attempt: (n: unknown) => `attempt ${n} given up`,
  inOperation: (operation: string) => `in ${operation}`,
  /** A type without words of its own: branch_created becomes "branch created". */
  plain: (type: string) => type.replaceAll('_', ' '),
} as const;

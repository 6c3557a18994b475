const TAG_PREFIX = 'tags/';

/** A state to read or compare: the newest of a branch, that of a tag, or that at a place in the log or at a time. */
export type Ref =
  | { kind: 'branch'; branch: string }
  | { kind: 'tag'; tag: string }
  | { kind: 'seq'; branch: string; seq: number }
  | { kind: 'time'; branch: string; time: number };

/** A number that the log cannot reach is none of its places. */
const SEQ = /^\d{1,15}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** Names of branches have no `@`. */
export function parseRef(text: string): Ref | undefined {
  if (text.startsWith(TAG_PREFIX)) return { kind: 'tag', tag: text.slice(TAG_PREFIX.length) };
  const at = text.indexOf('@');
  if (at < 0) return { kind: 'branch', branch: text };
  if (at === 0) return undefined;
  const branch = text.slice(0, at);
  const place = text.slice(at + 1);
  if (SEQ.test(place)) return { kind: 'seq', branch, seq: Number(place) };
  const time = TIME.test(place) ? Date.parse(place) : Number.NaN;
  return Number.isNaN(time) ? undefined : { kind: 'time', branch, time };
}

/** The branch of the reads that show memory as it was at a tag. */
export const branchOfTag = (tag: string): string => TAG_PREFIX + tag;

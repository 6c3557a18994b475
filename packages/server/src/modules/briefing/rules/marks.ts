import { type Evidence, type EvidenceStatus, evidenceStatus } from '../../entries/rules/evidence.ts';

/** What an entry is listed for: how outcomes left it, or what it is. */
export const markKinds = ['validated', 'contested', 'discredited', 'procedure', 'lesson'] as const;
export type MarkKind = (typeof markKinds)[number];

/** The key of a lesson begins so, see the module `outcomes`. */
const LESSON = 'lesson-contrast-';
export const isLessonKey = (key: string): boolean => key.startsWith(LESSON);

/** Entries far below are listed for so many paths above them, and for their own. */
const MAX_LEVELS = 12;

/** The paths that an entry is listed below: the empty one for everything, each above it, and its own. */
export function ancestorsOf(path: string): string[] {
  const segments = path.split('/');
  const above = segments.slice(0, MAX_LEVELS).map((_, at) => segments.slice(0, at + 1).join('/'));
  return ['', ...above, ...(segments.length > MAX_LEVELS ? [path] : [])];
}

/** The path to look below for a path: itself, or the nearest one above it that entries are listed for. */
export const listedAbove = (path: string): string => path.split('/').slice(0, MAX_LEVELS).join('/');

/** Whether a write may change what an entry is listed for. A first version has no outcomes. */
export const mayBeMarked = (written: { version: number | null; key: string; memory_type: unknown }): boolean =>
  written.version !== 1 || written.memory_type === 'procedure' || isLessonKey(written.key);

type MarkedEntry = { key: string; memory_type: string; seq: number; line_seq: number | null; confidence: number };
export type EntryMark = { kind: MarkKind; rank: number };

/** The marks of an entry. A rank is a place in the log: that of the newest outcome, or of the version. */
export function marksOf(entry: MarkedEntry, evidence: Evidence): EntryMark[] {
  const status: EvidenceStatus = evidenceStatus(evidence, entry.confidence);
  return [
    ...(status === 'untested' ? [] : [{ kind: status, rank: entry.line_seq ?? entry.seq }]),
    ...(entry.memory_type === 'procedure' ? [{ kind: 'procedure' as const, rank: entry.seq }] : []),
    ...(isLessonKey(entry.key) ? [{ kind: 'lesson' as const, rank: entry.seq }] : []),
  ];
}

/** Why notes of a session may be missing from the store. */
export type NotesGap = {
  reason: string;
  /** Only notes made before this time can be missing; undefined means up to now. */
  before?: number | undefined;
};

/** Returns the gaps that are known at the time of the call. */
export type NotesGaps = () => readonly NotesGap[];

export const NO_GAPS: NotesGaps = () => [];

type SessionNotesState = { gaps: NotesGaps | undefined; session: { opened_at: number; truncated: number } | undefined };

/**
 * Returns why notes of a session may be missing; undefined when all are stored. A session opened after a gap is not
 * affected by it; a session that is not in the store may be of any age.
 */
export function incompleteBecause({ gaps = NO_GAPS, session }: SessionNotesState): string | undefined {
  const gap = gaps().find(({ before }) => before === undefined || (session?.opened_at ?? 0) < before);
  if (gap) return gap.reason;
  return session?.truncated === 1 ? 'the session holds more than is kept of one' : undefined;
}

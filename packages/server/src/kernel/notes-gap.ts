/** Why something that a session saw may be missing from the store. */
export type NotesGap = {
  reason: string;
  /** Only notes that were made before this time can be missing; undefined: up to now. */
  before?: number | undefined;
};

/** What is known of notes that are missing, at the moment somebody asks. */
export type NotesGaps = () => readonly NotesGap[];

export const NO_GAPS: NotesGaps = () => [];

type SessionNotesState = { gaps: NotesGaps | undefined; session: { opened_at: number; truncated: number } | undefined };

/**
 * Why a session may have seen more than the store knows; undefined where it knows everything. A session that was opened
 * after a gap cannot be part of it; one that the store does not know may be as old as it likes.
 */
export function incompleteBecause({ gaps = NO_GAPS, session }: SessionNotesState): string | undefined {
  const gap = gaps().find(({ before }) => before === undefined || (session?.opened_at ?? 0) < before);
  if (gap) return gap.reason;
  return session?.truncated === 1 ? 'the session holds more than is kept of one' : undefined;
}

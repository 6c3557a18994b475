import type { Work } from '../../kernel/index.ts';
import type { OpenSession, SessionKey } from '../sessions/index.ts';
import { type NewTrace, type Sealed, sealTrace } from './seal.ts';
import { type Past, partsOf, startOf, writeParts } from './session-parts.ts';
import type { Part } from './shape.ts';
import type { Told } from './told.ts';

export type Ending = {
  key: SessionKey;
  session: OpenSession;
  past: Past;
  /** What the caller named beside what the session read. */
  named: readonly Part[];
  told: Told;
  final_action_index: number | null;
};

/** Seals everything that an open session holds, with what its caller told at the end. */
export function sealSession(
  work: Work,
  head: Omit<NewTrace, 'header' | 'parts'>,
  { key, session, past, named, told, final_action_index }: Ending,
): Sealed {
  const writes = writeParts(work, key, { ...past, seq: head.seq });
  // Attempts that are told at the end stand for those that were recorded on the way.
  const isRetold = told.parts.some(({ kind }) => kind === 'attempt');
  const kept = partsOf(session).filter(({ kind }) => !(isRetold && kind === 'attempt'));
  const parts: Part[] = [...kept, ...named, ...writes, ...told.parts];
  const header = {
    ...told.header,
    final_action_index,
    session_started_at: startOf(session, writes),
    session_ended_at: work.now,
    truncated: session.row?.truncated === 1,
  };
  return sealTrace(work, { ...head, header, parts }, past.last);
}

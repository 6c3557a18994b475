import type { Work } from '../../kernel/index.ts';
import { inTurns, pause } from '../../turns.ts';
import type { OpenSession, SessionKey } from '../sessions/index.ts';
import { type AttemptUse, withPlaces } from './attempts.ts';
import { type NewTrace, type SealedTrace, sealTrace } from './seal.ts';
import { partsInSteps, type SessionPast, startOf, writeParts } from './session-parts.ts';
import type { SessionReport } from './session-report.ts';
import type { TracePart } from './shape.ts';

export type SessionEnd = {
  key: SessionKey;
  session: OpenSession;
  past: SessionPast;
  /** Entries that the caller named besides those that the session read. */
  named: readonly TracePart[];
  /** What each attempt that is reported at the end used. */
  tried: readonly AttemptUse[];
  report: SessionReport;
  final_action_index: number | null;
};

/** Seals everything that an open session holds, with the caller's report at its end. */
export async function sealSession(
  work: Work,
  head: Omit<NewTrace, 'header' | 'parts'>,
  { key, session, past, named, tried, report, final_action_index }: SessionEnd,
): Promise<SealedTrace> {
  await pause();
  const writes = writeParts(work, key, { seq: head.seq, ...past });
  // Attempts reported at the end replace those recorded during the session.
  const isRetold = report.parts.some(({ kind }) => kind === 'attempt');
  const all = await inTurns(partsInSteps(session));
  const kept = all.filter(({ kind }) => !(isRetold && kind === 'attempt'));
  const readIn = (attempt: number) => session.reads.filter((read) => read.attempt === attempt);
  const useOf = isRetold ? (attempt: number) => tried[attempt] ?? [] : readIn;
  const parts = [...kept, ...named, ...writes, ...report.parts].map((part) => withPlaces(part, useOf));
  const header = Object.assign({}, report.header, {
    final_action_index,
    session_started_at: startOf(session, writes),
    session_ended_at: work.now,
    truncated: session.row?.truncated === 1,
  });
  return sealTrace(work, { header, parts, ...head }, past.last);
}

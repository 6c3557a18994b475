import type { Output } from '@mem-service/contract';
import type { Dialect, Query } from '../../db/index.ts';
import type { Viewer } from '../../kernel/index.ts';
import * as queries from './queries.ts';
import type { ReadPart, TraceParts } from './render.ts';
import type { TracePart } from './shape.ts';

type ClosedAttempt = Output<'traces.read'>['attempts'][number];

/** `places`: one entry of each path that the attempt used, 0 for one that is not there. Missing in older traces. */
type SealedAttempt = ClosedAttempt & { places?: readonly number[] };

/** The entries that an attempt used. */
export type AttemptUse = readonly { entity_path: string; entry_id: number }[];

/** Notes where each attempt looked, by number and not by name, so that nothing of it has to be erased. */
export function withPlaces(part: TracePart, useOf: (attempt: number) => AttemptUse): TracePart {
  if (part.kind !== 'attempt') return part;
  const used = useOf((part.data as ClosedAttempt).attempt - 1);
  const places = [...new Map(used.map(({ entity_path, entry_id }) => [entity_path, entry_id])).values()];
  return places.length === 0 ? part : { ...part, data: { ...part.data, places } };
}

export const plainAttempts = (parts: TraceParts): ClosedAttempt[] =>
  parts.of<SealedAttempt>('attempt').map(({ places: _, ...attempt }) => attempt);

type AttemptReading = { query: Query; viewer: Viewer; dialect: Dialect };

/**
 * The attempts of traces. What is said about one may be about everything it used, so it is left out where the reader may
 * not read a part of that; of an attempt that used nothing, where a part of the trace is hidden.
 */
export async function attemptsInScope(
  { query, viewer, dialect }: AttemptReading,
  traces: readonly { seq: number; parts: TraceParts }[],
): Promise<ClosedAttempt[][]> {
  if (viewer.scope === undefined) return traces.map(({ parts }) => plainAttempts(parts));
  const unplaced = traces.filter(({ parts }) => parts.of<SealedAttempt>('attempt').some(({ places }) => !places));
  const seqs = dialect.numbers(unplaced.map(({ seq }) => seq));
  const hidden = unplaced.length === 0 ? [] : await queries.listPartlyHidden(query, viewer, seqs);
  const partlyHidden = new Set(hidden.map(({ seq }) => seq));
  return traces.map(({ seq, parts }) => {
    const seen = new Set(parts.of<ReadPart>('read').map(({ entry_id }) => entry_id));
    return parts.of<SealedAttempt>('attempt').map(({ places, ...attempt }) => {
      const isWithin = places ? places.every((entry_id) => seen.has(entry_id)) : !partlyHidden.has(seq);
      return isWithin ? attempt : { ...attempt, summary: null };
    });
  });
}

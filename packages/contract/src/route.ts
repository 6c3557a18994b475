import type { Effect, HttpMethod, NeedsNotes, Seal } from './operation.ts';

/** `GET /api/v1/stats`: `{name}` in the path is replaced by that field of the input. */
export type RouteAddress = `${HttpMethod} ${string}`;

/**
 * Whose the names in a value are. Left out: all are the service's, at every depth. `any`: all are the caller's. `each`:
 * those of the items of a list or record, whose keys are the caller's. Otherwise by member: the others are the
 * service's too, or with `only` the caller's.
 */
export type NameShape =
  | 'any'
  | { each: NameShape | null }
  | { only?: true; of: Readonly<Record<string, NameShape | null>> };

/** What a client needs to know of an operation to call it. */
export type Route = {
  to: RouteAddress;
  aliases?: readonly RouteAddress[];
  effect: Effect;
  needs_notes?: NeedsNotes;
  admin?: true;
  seals?: Seal;
  stream?: true;
  lines?: true;
  /** Answers in pages. */
  paged?: true;
  /** The list in its answer, where there is exactly one. */
  list?: string;
  input?: NameShape;
  output?: NameShape;
};

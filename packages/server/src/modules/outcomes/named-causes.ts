import { EVERYONE, type Work } from '../../kernel/index.ts';
import { standingOf } from '../entries/index.ts';
import type { OpenSession } from '../sessions/index.ts';
import { type AttemptUse, readPart, type TracePart } from '../traces/index.ts';
import type { WeighedCauses } from './evidence.ts';
import { type Cause, causeKeyText } from './rules/causes.ts';

/** Causes that the caller named and its session did not read: the trace shows their standing before the outcome. */
export function partsOfNamedCauses(
  work: Work,
  { steps }: WeighedCauses,
  { reads }: Pick<OpenSession, 'reads'>,
): TracePart[] {
  // By name: what a branch inherits gets a number of its own there when it is first judged.
  const known = new Set(reads.map(causeKeyText));
  return steps.flatMap((step, attempt) =>
    step.causes.flatMap((cause) => {
      const { entry } = cause;
      if (!entry || known.has(causeKeyText(entry))) return [];
      const { entry_id, branch, entity_path, key, agent_id, confidence } = entry;
      return [
        readPart({
          entry_id,
          branch,
          entity_path,
          key,
          confidence,
          standing: entry.standing === null ? null : standingOf(entry),
          attempt,
          version: cause.read_version ?? entry.version,
          visible_to: entry.shared === 1 ? EVERYONE : agent_id,
          written_by: agent_id,
          read_at: work.now,
          duration_ms: 0,
        }),
      ];
    }),
  );
}

/** The entries that causes name, 0 for one that is not there. */
export const entriesOf = (causes: readonly Cause[], { entryOf }: WeighedCauses): AttemptUse =>
  causes.map((cause) => ({
    entity_path: cause.entity_path,
    entry_id: entryOf.get(cause)?.entry_id ?? 0,
  }));

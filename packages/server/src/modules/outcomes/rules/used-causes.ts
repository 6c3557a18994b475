import { type Cause, causeKeyText, type EntryKey, formatCause, parseCause } from './causes.ts';
import { type CauseProblem, type GivenCause, NOT_A_NAME } from './given-causes.ts';

type SeenEntry = EntryKey & { version: number };

const MAX_NAMED = 3;

/**
 * The entries that a caller says it used, each in the newest version that its session saw. A session cannot have used what
 * it has not seen: without this check a caller could move entries that it may name and never looked at. An outcome clears
 * what was seen; `last` is the reference of the last one, where it is known.
 */
export function usedCauses(
  used: readonly GivenCause[],
  seen: readonly SeenEntry[],
  last?: string,
): { causes: Cause[]; problems: CauseProblem[] } {
  const versions = new Map<string, SeenEntry>();
  for (const entry of seen) {
    const known = versions.get(causeKeyText(entry));
    if (!known || known.version < entry.version) versions.set(causeKeyText(entry), entry);
  }
  const problems: CauseProblem[] = [];
  const causes = used.flatMap((given, i): Cause[] => {
    const cause = parseCause(given);
    const known = cause && versions.get(causeKeyText(cause));
    if (known) return [{ entity_path: known.entity_path, key: known.key, version: known.version }];
    const message = cause ? notSeen([...versions.values()], last) : notNamed([...versions.values()], given);
    problems.push({ path: `used.${i}`, message });
    return [];
  });
  return { causes, problems };
}

function notSeen(seen: readonly SeenEntry[], last: string | undefined): string {
  const names = seen.slice(-MAX_NAMED).map(formatCause).join(', ');
  const among = seen.length === 0 ? 'it has seen no entry' : `it has seen ${seen.length}, such as ${names}`;
  const since = last === undefined ? 'its last outcome, if any' : `the last outcome (${last})`;
  return `was neither read nor shown in this session since ${since} (${among}): read it again, or name it in causal_entry_keys`;
}

function notNamed(seen: readonly SeenEntry[], given: GivenCause): string {
  const meant = seen.filter(({ key }) => key === given).slice(-MAX_NAMED);
  return meant.length === 0 ? NOT_A_NAME : `${NOT_A_NAME}; is ${meant.map(formatCause).join(' or ')} meant?`;
}

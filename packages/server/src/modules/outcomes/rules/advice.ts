type CreditedLine = {
  applied: number;
  reason: string | null;
  confidence_before: number | null;
  confidence_after: number | null;
};

type OutcomeEffect = {
  lines: readonly CreditedLine[];
  /** Names of what its searches showed the session, where it named nothing of it. */
  shown: readonly string[];
  /** Why causes may be missing. */
  because: string | undefined;
};

const MAX_NAMED = 3;

/** Why an outcome moved no confidence, and what to do; null where it moved one. */
export function adviceOf({ lines, shown, because }: OutcomeEffect): string | null {
  const applied = lines.filter((line) => line.applied === 1);
  if (applied.some((line) => line.confidence_before !== line.confidence_after)) return null;
  if (applied.length > 0)
    return (
      'No confidence moved: the entries stand at its limit already. Write an entry with a confidence below 1, or without ' +
      'one, so that outcomes can raise it.'
    );
  if (lines.length > 0) return skippedAdvice(new Set(lines.map((line) => line.reason)));
  if (shown.length > 0) {
    const named = shown.slice(0, MAX_NAMED).map((name) => JSON.stringify(name));
    const more = shown.length > MAX_NAMED ? ` (${shown.length - MAX_NAMED} more were shown)` : '';
    return (
      'Nothing was credited: this session read no entry, and a hit of a search counts only when it is said to have helped. ' +
      `Commit again with the same outcome_ref and type, and used: [${named.join(', ')}]${more}, naming those that did.`
    );
  }
  const gap = because === undefined ? '' : ` (${because})`;
  return (
    `Nothing was credited: as far as is known this session neither read nor found an entry, and named none${gap}. Search or ` +
    'read before the work, in the same session; or name what led here in causal_entry_keys.'
  );
}

function skippedAdvice(reasons: ReadonlySet<string | null>): string {
  if (reasons.has('replayed')) return 'Nothing was credited: a replay is no evidence.';
  if (reasons.has('value_changed'))
    return (
      'Nothing was credited: what was read has been changed since, and the outcome says nothing about the new value. Read ' +
      'it again; the next outcome counts.'
    );
  return 'Nothing was credited: there is no entry of that name. Check path and key, for example with a search.';
}

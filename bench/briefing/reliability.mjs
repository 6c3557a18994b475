// Whether a chance of 70 % comes true in 70 of 100 cases, and how much better the chances are than none.
import { Anticipation } from '../../packages/server/src/modules/briefing/rules/anticipation.ts';

/** As many as the service keeps. */
const KEPT = 64;
const BINS = 10;

/**
 * Predicts each session from those before it: for every scope that is ever read a chance, whether it was read before
 * (`isKnown`), and what happened.
 */
export function* predicted(sessions, first = 1) {
  const scopes = [...new Set(sessions.flat())];
  for (let at = first; at < sessions.length; at++) {
    const past = sessions.slice(Math.max(0, at - KEPT), at);
    const known = new Set(past.flat());
    const anticipation = new Anticipation(past, scopes.length);
    for (const scope of scopes)
      yield {
        isKnown: known.has(scope),
        chance: anticipation.chanceOf([scope]),
        isRead: sessions[at].some((path) => path === scope || path.startsWith(`${scope}/`)),
      };
  }
}

/**
 * `error`: how far chances are from what happened, on average over bins of equal width. `brier`: the mean square of the
 * difference; `skill`: by how much it is smaller than that of the average alone.
 */
export function reliabilityOf(cases) {
  const bins = Array.from({ length: BINS }, () => ({ n: 0, chance: 0, read: 0 }));
  let [squares, read] = [0, 0];
  for (const { chance, isRead } of cases) {
    const bin = bins[Math.min(BINS - 1, Math.floor(chance * BINS))];
    bin.n += 1;
    bin.chance += chance;
    bin.read += Number(isRead);
    squares += (chance - Number(isRead)) ** 2;
    read += Number(isRead);
  }
  const n = bins.reduce((sum, bin) => sum + bin.n, 0);
  const rate = read / n;
  const error = bins.reduce((sum, bin) => sum + Math.abs(bin.chance - bin.read), 0) / n;
  const brier = squares / n;
  return {
    cases: n,
    error,
    brier,
    skill: 1 - brier / (rate * (1 - rate)),
    bins: bins
      .filter((bin) => bin.n > 0)
      .map((bin) => ({ n: bin.n, predicted: bin.chance / bin.n, read: bin.read / bin.n })),
  };
}

/** The sessions of an agent, oldest first: the paths that each of them read something at. */
export type ReadSessions = readonly (readonly string[])[];

/** A scope, as the paths that it covers, each with everything below it. */
export type ScopePaths = readonly string[];

/** What is remembered of a session loses this much with each later one: habits change. */
const FADING = 0.96;
/** The chance of a scope that nothing is known about. */
const UNKNOWN = 0.05;
/** How many sessions an estimate weighs as much as the simpler one that it starts from. */
const START_WEIGHT = { often: 4, last: 2, after: 3 };
/** How fast the ways to estimate gain and lose trust. */
const LEARNING = 1;
const LEAST = 0.005;
/** How many paths a session reads that none before it read, where nothing is known, and how many sessions that weighs. */
const NEW_PATHS = { start: 0.25, like: 2 };
/** EstimateTrust is learnt on so many of the paths read last. */
const MAX_PATHS = 96;

/** Sessions and how many of them read something, each weighed by `FADING` to the power of minus its number. */
type ReadTally = { n: number; hits: number };
const tally = (): ReadTally => ({ n: 0, hits: 0 });

function count(tally: ReadTally, hit: boolean, weight: number): void {
  tally.n += weight;
  if (hit) tally.hits += weight;
}

/** `now`: the weight of the next session. */
const estimate = ({ n, hits }: ReadTally, { start, like, now }: { start: number; like: number; now: number }): number =>
  (hits / now + like * start) / (n / now + like);

const covers = (paths: ScopePaths, path: string): boolean =>
  paths.some((one) => path === one || path.startsWith(`${one}/`));

/** When a scope was read in the past, counted in four ways. */
class ScopePast {
  readonly paths: ScopePaths;
  readonly #all = tally();
  /** By whether the session before read it; then by the two before. */
  readonly #afterOne = [tally(), tally()];
  readonly #afterTwo = [tally(), tally(), tally(), tally()];
  /** By each path that the session before read. */
  readonly #after = new Map<string, ReadTally>();
  #last = 0;
  #lastTwo = 0;
  isKnown = false;

  constructor(paths: ScopePaths) {
    this.paths = paths;
  }

  /** The chance that the next session reads it, in each of the ways. */
  chances({ before, usual, now }: Moment): number[] {
    const often = estimate(this.#all, { start: usual, like: START_WEIGHT.often, now });
    const like = START_WEIGHT.last;
    const afterOne = estimate(this.#afterOne[this.#last] as ReadTally, { start: often, like, now });
    const afterTwo = estimate(this.#afterTwo[this.#lastTwo] as ReadTally, { start: afterOne, like, now });
    const pooled = tally();
    for (const path of before) {
      const after = this.#after.get(path);
      if (!after) continue;
      pooled.n += after.n;
      pooled.hits += after.hits;
    }
    return [usual, often, afterOne, afterTwo, estimate(pooled, { start: often, like: START_WEIGHT.after, now })];
  }

  add(session: readonly string[], { before, now }: Moment): boolean {
    const isRead = session.some((path) => covers(this.paths, path));
    count(this.#all, isRead, now);
    count(this.#afterOne[this.#last] as ReadTally, isRead, now);
    count(this.#afterTwo[this.#lastTwo] as ReadTally, isRead, now);
    for (const path of before) {
      let after = this.#after.get(path);
      if (!after) {
        after = tally();
        this.#after.set(path, after);
      }
      count(after, isRead, now);
    }
    this.#last = Number(isRead);
    this.#lastTwo = (this.#lastTwo % 2) * 2 + this.#last;
    this.isKnown ||= isRead;
    return isRead;
  }
}

/** What is known before a session: the paths of the last one, and how often a known path is read at all. */
type Moment = { before: readonly string[]; usual: number; now: number };

/** How much each way to estimate is trusted: as far as it predicted what the agent then read. */
class EstimateTrust {
  #losses: number[] = [];

  /** `past`: what was predicted of each known scope, and what then happened. */
  learn(past: readonly { chances: readonly number[]; isRead: boolean }[]): void {
    this.#losses = this.#losses.map((loss) => loss * FADING);
    for (const { chances, isRead } of past)
      chances.forEach((chance, way) => {
        const loss = -Math.log(bounded(isRead ? chance : 1 - chance));
        this.#losses[way] = (this.#losses[way] ?? 0) + loss;
      });
  }

  mix(chances: readonly number[]): number {
    const least = Math.min(...this.#losses, Number.POSITIVE_INFINITY);
    const weights = chances.map((_, way) => Math.exp(-LEARNING * ((this.#losses[way] ?? least) - least)));
    const known = weights.map((weight) => (Number.isFinite(weight) ? weight : 1));
    const sum = known.reduce((total, weight) => total + weight, 0);
    return known.reduce((total, weight, way) => total + weight * (chances[way] as number), 0) / sum;
  }
}

const bounded = (chance: number): number => Math.min(1 - LEAST, Math.max(LEAST, chance));

type PredictedScope = { odds: number; isRead: boolean };

const oddsOf = (chance: number): number => Math.log(bounded(chance) / (1 - bounded(chance)));
const chanceOf = (odds: number): number => 1 / (1 + Math.exp(-odds));

/** How many cases the assumption weighs that chances are right as they are. */
const RIGHT_SO_FAR = 10;
const STEPS = 4;

/**
 * Chances that were too high or too low for this agent so far are put right: the line of log odds that fits best what was
 * predicted to what happened (Platt's scaling, by Newton's method).
 */
function correctionOf(past: readonly PredictedScope[]): (chance: number) => number {
  let [shift, slope] = [0, 1];
  for (let step = 0; step < STEPS; step++) {
    let [ofShift, ofSlope] = [-RIGHT_SO_FAR * shift * 0.25, -RIGHT_SO_FAR * (slope - 1)];
    let [shiftShift, shiftSlope, slopeSlope] = [RIGHT_SO_FAR * 0.25, 0, RIGHT_SO_FAR];
    for (const { odds, isRead } of past) {
      const chance = chanceOf(shift + slope * odds);
      const weight = chance * (1 - chance);
      ofShift += Number(isRead) - chance;
      ofSlope += (Number(isRead) - chance) * odds;
      shiftShift += weight;
      shiftSlope += weight * odds;
      slopeSlope += weight * odds * odds;
    }
    const determinant = shiftShift * slopeSlope - shiftSlope * shiftSlope;
    shift += (slopeSlope * ofShift - shiftSlope * ofSlope) / determinant;
    slope += (shiftShift * ofSlope - shiftSlope * ofShift) / determinant;
  }
  return (chance) => chanceOf(shift + slope * oddsOf(chance));
}

/** How many paths a session reads for the first time, over how many there are left. */
function chanceOfNew(sessions: ReadSessions, paths: number): number {
  const seen = new Set<string>();
  const fresh = tally();
  for (const [at, session] of sessions.entries()) {
    const now = FADING ** -at;
    // All that the first one reads is new, which says nothing about the next.
    if (at > 0) {
      fresh.n += now;
      fresh.hits += now * session.filter((path) => !seen.has(path)).length;
    }
    for (const path of session) seen.add(path);
  }
  const now = FADING ** -sessions.length;
  return estimate(fresh, { ...NEW_PATHS, now }) / Math.max(paths - seen.size, 1);
}

/**
 * The chance that the next session of an agent reads something within a scope, from what its past sessions read. Four
 * estimates (how often it was read, what followed when the last session did or did not read it, the same for the last two,
 * and what followed the paths of the last session) are mixed by how well they predicted the sessions so far. A scope that no
 * session read has the chance of a new path instead.
 */
export class Anticipation {
  readonly #sessions: ReadSessions;
  readonly #moments: Moment[] = [];
  readonly #trust = new EstimateTrust();
  readonly #correct: (chance: number) => number;
  /** The chance that the next session reads one path that none has read. */
  readonly #ofNew: number;

  /** `paths`: how many paths there are to read. */
  constructor(sessions: ReadSessions, paths: number) {
    this.#sessions = sessions;
    this.#ofNew = chanceOfNew(sessions, paths);
    const newest = [...new Set(sessions.flat().toReversed())].slice(0, MAX_PATHS);
    const known = newest.map((path) => new ScopePast([path]));
    const usual = tally();
    const past: PredictedScope[] = [];
    for (const [at, session] of sessions.entries()) {
      const moment = this.#momentAt(at, usual);
      const tested = known.flatMap((path) => {
        const chances = path.isKnown ? path.chances(moment) : undefined;
        const isRead = path.add(session, moment);
        return chances ? [{ chances, isRead }] : [];
      });
      for (const { chances, isRead } of tested) {
        past.push({ odds: oddsOf(this.#trust.mix(chances)), isRead });
        count(usual, isRead, moment.now);
      }
      this.#trust.learn(tested);
    }
    this.#momentAt(sessions.length, usual);
    this.#correct = correctionOf(past);
  }

  #momentAt(at: number, usual: ReadTally): Moment {
    const now = FADING ** -at;
    const known = estimate(usual, { start: UNKNOWN, like: START_WEIGHT.often, now });
    const moment = { before: this.#sessions[at - 1] ?? [], usual: known, now };
    this.#moments.push(moment);
    return moment;
  }

  chanceOf(scope: ScopePaths): number {
    const past = new ScopePast(scope);
    this.#sessions.forEach((session, at) => {
      past.add(session, this.#moments[at] as Moment);
    });
    if (!past.isKnown && this.#sessions.length > 0)
      return Math.round(Math.min(UNKNOWN, bounded(this.#ofNew * scope.length)) * 10_000) / 10_000;
    const chances = past.chances(this.#moments.at(-1) as Moment);
    return Math.round(bounded(this.#correct(this.#trust.mix(chances))) * 10_000) / 10_000;
  }
}

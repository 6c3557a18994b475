/** What a part of a regular expression costs. */
export type PatternCost = {
  /**
   * How many ways lead through it where each loop is left out or gone through once. The engine takes about as long to
   * prepare it, and nothing can stop that.
   */
  branches: number;
  /** In how many ways it may match at one place of a text, and how many steps it takes to try them all. */
  over(length: number): Tries;
};
type Tries = { ways: number; steps: number };

const ONE =
  /\\(?:u\{[^}]*\}|[pP]\{[^}]*\}|u[0-9a-fA-F]{4}|x..|c.|k<[^>]*>|\d+|.)|\[(?:\\.|[^\]\\])*\]|[^\\[\](){}*+?|]/suy;
const REFERENCE = /^\\[1-9k]/;
const COUNT = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/uy;
const GROUP = /\((?:\?(?::|<?[=!]|<[^>]+>))?/uy;
/** What may stand for one code unit or for two is two ways. */
const TWO_WAYS = 2;
const ONE_OR_TWO_UNITS = /^(?:\.|\\[pPWDS]|\[\^|\[.*(?:\\[pPWDSu]|[^ -~]))/su;
/**
 * Of two units, the engine tells apart by the first: letters, or what is none, have more than twenty of these. With each such class in a
 * row, it takes about seven times as long to prepare them.
 */
const WAYS_OF_PROPERTY = 10;
const PROPERTY = /\\[pP]\{/g;
/** So many characters beyond the first 65,536 begin with the same unit. */
const OF_ONE_UNIT = 0x400;
const LEAST_FIRST = 0xd800;
const CHARACTER =
  /\\u\{([0-9a-fA-F]+)\}|\\u([dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}|([\u{10000}-\u{10ffff}])/gu;
/** The engine writes out as many repeats; more of them are a loop. */
const MAX_WRITTEN_OUT = 3;

/**
 * Bounds that are easy to trust: from each character the engine tries every way in which the first part matches, and after
 * each of these every way of the next. Where a group is repeated, or what was found is referred to, there is no bound.
 */
export function patternCost(pattern: string): PatternCost {
  const reader = new ExpressionReader(pattern);
  const cost = reader.alternatives();
  return reader.isAtEnd ? cost : UNKNOWN;
}

const UNBOUND: Tries = { ways: Number.POSITIVE_INFINITY, steps: Number.POSITIVE_INFINITY };
const UNKNOWN: PatternCost = { branches: Number.POSITIVE_INFINITY, over: () => UNBOUND };
const NOTHING: PatternCost = { branches: 1, over: () => ({ ways: 1, steps: 1 }) };

class ExpressionReader {
  #at = 0;
  readonly #pattern: string;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#pattern.length;
  }

  alternatives(): PatternCost {
    const all = [this.#sequence()];
    while (this.#next() === '|') {
      this.#at++;
      all.push(this.#sequence());
    }
    return all.reduce(either);
  }

  #sequence(): PatternCost {
    const parts: PatternCost[] = [];
    for (let next = this.#next(); next !== '' && next !== '|' && next !== ')'; next = this.#next()) {
      const part = next === '(' ? this.#group() : this.#one();
      if (!part) break;
      parts.push(part);
    }
    return parts.reduceRight((after, part) => then(part, after), NOTHING);
  }

  /** Undefined where something stands there that is not known. */
  #one(): PatternCost | undefined {
    const [text] = this.#match(ONE) ?? [];
    if (text === undefined) return undefined;
    const count = this.#count();
    if (REFERENCE.test(text)) return { branches: 1, over: () => UNBOUND };
    const over = (length: number) => {
      const least = Math.min(count.least, length);
      const ways = Math.min(count.most, length) - least + 1;
      return { ways, steps: least + ways };
    };
    return { branches: branchesOfOne(waysOf(text), count), over };
  }

  #group(): PatternCost | undefined {
    const [opening] = this.#match(GROUP) ?? [];
    if (opening === undefined) return undefined;
    const inside = this.alternatives();
    if (this.#next() !== ')') return undefined;
    this.#at++;
    const count = this.#count();
    if (count.least === 1 && count.most === 1) return inside;
    if (count.least === 0 && count.most === 1) return either(inside, NOTHING);
    return { branches: branchesOf(inside.branches, count), over: () => UNBOUND };
  }

  #count(): PartCount {
    const [text, sign, from = '1', comma, to] = this.#match(COUNT) ?? [];
    if (text === undefined) return { least: 1, most: 1 };
    const least = sign ? Number(sign === '+') : Number(from);
    if (sign ? sign !== '?' : comma && !to) return { least, most: Number.POSITIVE_INFINITY };
    return { least, most: sign ? 1 : Number(to || from) };
  }

  #next(): string {
    return this.#pattern.charAt(this.#at);
  }

  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#pattern);
    this.#at += found?.[0].length ?? 0;
    return found;
  }
}

/** How many names of properties a regular expression has: each takes about a millisecond to prepare. */
export const countProperties = (pattern: string): number => pattern.match(PROPERTY)?.length ?? 0;

/** In how many ways a character or a class matches, as the engine tells them apart. */
function waysOf(text: string): number {
  const plain = ONE_OR_TWO_UNITS.test(text) ? TWO_WAYS : 1;
  return countProperties(text) > 0 ? WAYS_OF_PROPERTY : Math.max(plain, 1 + firstUnitsIn(text) / 2);
}

/** First units of the characters of a class that have two. */
function firstUnitsIn(text: string): number {
  if (!text.startsWith('[')) return 0;
  const firsts = new Set<number>();
  for (const [, code, first, raw] of text.matchAll(CHARACTER)) {
    const point = raw?.codePointAt(0) ?? Number.parseInt(code ?? '', 16);
    if (first !== undefined) firsts.add(Number.parseInt(first, 16) - LEAST_FIRST);
    else if (point > 0xffff) firsts.add(Math.floor((point - 0x10000) / OF_ONE_UNIT));
  }
  return firsts.size;
}

type PartCount = { least: number; most: number };

/** A loop is prepared once, however large its class; what is written out ahead of it is not. */
function branchesOfOne(ways: number, count: PartCount): number {
  const { least, most } = count;
  if (most <= MAX_WRITTEN_OUT || ways <= TWO_WAYS) return branchesOf(ways, count);
  const ahead = least > MAX_WRITTEN_OUT ? 0 : Math.max(0, least - 1);
  return (ways / TWO_WAYS) ** ahead * branchesOf(TWO_WAYS, count);
}

function branchesOf(one: number, { least, most }: PartCount): number {
  if (most > MAX_WRITTEN_OUT) return one ** Math.min(least, MAX_WRITTEN_OUT) * (1 + one);
  let sum = 0;
  for (let times = least; times <= most; times++) sum += one ** times;
  return sum;
}

const either = (a: PatternCost, b: PatternCost): PatternCost => ({
  branches: a.branches + b.branches,
  over(length) {
    const [one, other] = [a.over(length), b.over(length)];
    return { ways: one.ways + other.ways, steps: one.steps + other.steps };
  },
});

const then = (first: PatternCost, after: PatternCost): PatternCost => ({
  branches: first.branches * after.branches,
  over(length) {
    const [one, rest] = [first.over(length), after.over(length)];
    return { ways: one.ways * rest.ways, steps: one.steps + one.ways * rest.steps };
  },
});

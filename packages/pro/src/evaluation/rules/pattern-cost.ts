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
const ONE_OR_TWO_UNITS = /^(?:\.|\\[pPWDS]|\[\^|\[.*(?:\\[pPWDSu]|[^ -~]))/su;
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
    return { branches: branchesOf(ONE_OR_TWO_UNITS.test(text) ? 2 : 1, count), over };
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

type PartCount = { least: number; most: number };

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

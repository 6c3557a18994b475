import { type AST, RegExpParser } from '@eslint-community/regexpp';

/** Goes on with the rest of a pattern at an offset; false goes back to the last choice. */
type Rest = (at: number) => boolean;
type Matcher = (at: number, rest: Rest) => boolean;

type Way = { flags: string; forward: boolean };

/**
 * Matches as an engine that tries one choice after the other, and counts how many characters and assertions it looks at.
 * The engine of the language works the same way, with shortcuts that only save steps, so that what is linear here is
 * linear there.
 */
export class StepCounter {
  steps = 0;
  #text = '';
  readonly #match: Matcher;
  readonly #isSticky: boolean;
  readonly #mayBegin: CharacterTest | undefined;

  constructor(pattern: RegExp) {
    const { flags, source } = pattern;
    const unicode = flags.includes('u');
    const { alternatives } = new RegExpParser().parsePattern(source, 0, source.length, { unicode });
    this.#isSticky = flags.includes('y');
    const way = { flags: flags.replace(/[^iu]/g, ''), forward: true };
    this.#match = this.#anyOf(alternatives, way);
    this.#mayBegin = firstOf(alternatives, way.flags);
  }

  /** Where the first match from an offset on lies. */
  search(text: string, from: number): { start: number; end: number } | null {
    this.#text = text;
    for (let start = from; start <= text.length; start++) {
      let end = -1;
      if (this.#mayBegin && !this.#isSticky && !this.#mayBegin(text.charAt(start))) {
        this.steps++;
        continue;
      }
      const isFound = this.#match(start, (at) => {
        end = at;
        return true;
      });
      if (isFound) return { start, end };
      if (this.#isSticky) return null;
    }
    return null;
  }

  #anyOf(alternatives: readonly AST.Alternative[], way: Way): Matcher {
    const all = alternatives.map(({ elements }) => this.#sequence(elements, way));
    if (all.length === 1) return all[0] as Matcher;
    return (at, rest) => all.some((one) => one(at, rest));
  }

  /** Behind a place, elements are read from the last to the first, as the language does it. */
  #sequence(elements: readonly AST.Element[], way: Way): Matcher {
    const parts = elements.map((element) => this.#element(element, way));
    const inOrder = way.forward ? parts.reverse() : parts;
    return inOrder.reduce<Matcher>(
      (next, part) => (at, rest) => part(at, (then) => next(then, rest)),
      (at, rest) => rest(at),
    );
  }

  #element(element: AST.Element, way: Way): Matcher {
    switch (element.type) {
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass':
        return this.#character(element.raw, way);
      case 'Group':
      case 'CapturingGroup':
        return this.#anyOf(element.alternatives, way);
      case 'Quantifier':
        return this.#quantifier(element, way);
      case 'Assertion':
        return this.#assertion(element, way);
      default:
        throw new Error(`a pattern with ${element.type} cannot be counted`);
    }
  }

  #character(raw: string, { flags, forward }: Way): Matcher {
    const matches = memoized(raw, flags);
    return (at, rest) => {
      this.steps++;
      const index = forward ? at : at - 1;
      if (index < 0 || index >= this.#text.length || !matches(this.#text.charAt(index))) return false;
      return rest(forward ? at + 1 : at - 1);
    };
  }

  #quantifier({ element, min, max, greedy }: AST.Quantifier, way: Way): Matcher {
    const one = this.#element(element as AST.Element, way);
    const repeat = (at: number, count: number, rest: Rest): boolean => {
      const more = () => count < max && one(at, (then) => (then === at ? false : repeat(then, count + 1, rest)));
      const enough = () => count >= min && rest(at);
      return greedy ? more() || enough() : enough() || more();
    };
    return (at, rest) => repeat(at, 0, rest);
  }

  #assertion(assertion: AST.Assertion, way: Way): Matcher {
    if (assertion.kind === 'lookahead' || assertion.kind === 'lookbehind') {
      const inside = this.#anyOf(assertion.alternatives, { ...way, forward: assertion.kind === 'lookahead' });
      return (at, rest) => inside(at, () => true) !== assertion.negate && rest(at);
    }
    const isWord = (at: number) => /\w/.test(this.#text.charAt(at));
    const holds = (at: number): boolean => {
      if (assertion.kind === 'start') return at === 0;
      if (assertion.kind === 'end') return at === this.#text.length;
      return (isWord(at - 1) !== isWord(at)) !== (assertion.kind === 'word' && assertion.negate);
    };
    return (at, rest) => {
      this.steps++;
      return holds(at) && rest(at);
    };
  }
}

type CharacterTest = (character: string) => boolean;

/** What a match may begin with, where that is plain from the pattern: only to count faster. */
function firstOf(alternatives: readonly AST.Alternative[], flags: string): CharacterTest | undefined {
  const tests = alternatives.map(({ elements: [first] }): CharacterTest | undefined => {
    if (first?.type === 'Group' || first?.type === 'CapturingGroup') return firstOf(first.alternatives, flags);
    const isCharacter =
      first?.type === 'Character' || first?.type === 'CharacterSet' || first?.type === 'CharacterClass';
    return isCharacter ? memoized(first.raw, flags) : undefined;
  });
  return tests.every((test) => test !== undefined) ? (character) => tests.some((test) => test(character)) : undefined;
}

function memoized(raw: string, flags: string): CharacterTest {
  const pattern = new RegExp(`^${raw}$`, flags);
  const known = new Map<string, boolean>();
  return (character) => {
    const answer = known.get(character) ?? pattern.test(character);
    known.set(character, answer);
    return answer;
  };
}

/** Runs something and counts the steps of every pattern that it uses. For a process of its own: it changes `RegExp`. */
export function countSteps(run: () => void): Map<string, number> {
  const native = RegExp.prototype.exec;
  const counters = new Map<string, StepCounter>();
  let isCounting = false;
  RegExp.prototype.exec = function counted(this: RegExp, text: string) {
    if (isCounting) return native.call(this, text);
    isCounting = true;
    const counter = counters.get(String(this)) ?? new StepCounter(this);
    counters.set(String(this), counter);
    const expected = counter.search(text, this.global || this.sticky ? this.lastIndex : 0);
    isCounting = false;
    const match = native.call(this, text);
    if (match?.index !== expected?.start || (match && match.index + match[0].length !== expected?.end))
      throw new Error(`${this} is counted as something else: ${JSON.stringify([match, expected])}`);
    return match;
  };
  try {
    run();
  } finally {
    RegExp.prototype.exec = native;
  }
  return new Map([...counters].map(([pattern, { steps }]) => [pattern, steps]));
}

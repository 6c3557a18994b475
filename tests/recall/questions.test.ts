import { describe, expect, it } from 'vitest';
// @ts-expect-error: the bench is plain JavaScript
import { indexTexts, rankings } from '../../bench/retrieval/measure.mjs';
// @ts-expect-error: the bench is plain JavaScript
import { asText, readOwnSet, sharedWords } from '../../bench/retrieval/own-set.mjs';

type BenchMemory = { id: string; entity_path: string; key: string; value: string; session: string; place: number };
type BenchQuestion = { question: string; answer: string; shared: boolean; to_choose_on?: boolean };
const { memories, questions } = readOwnSet() as { memories: BenchMemory[]; questions: BenchQuestion[] };
const byId = new Map(memories.map((memory) => [memory.id, memory]));

describe('the questions about agent memories', () => {
  it('are 300 or more over 1,000 or more distinct memories', () => {
    expect(memories.length).toBeGreaterThanOrEqual(1000);
    expect(byId.size).toBe(memories.length);
    expect(new Set(memories.map(({ value }) => value)).size).toBe(memories.length);
    expect(questions.length).toBeGreaterThanOrEqual(300);
    expect(new Set(questions.map(({ question }) => question)).size).toBe(questions.length);
    for (const { answer } of questions) expect(byId.has(answer), answer).toBe(true);
  });

  it('share no word with their answers in a third of the cases or more, and say so', () => {
    for (const { question, answer, shared } of questions)
      expect({ question, shared: sharedWords(question, byId.get(answer) as BenchMemory).length > 0 }).toEqual({
        question,
        shared,
      });
    const without = (list: BenchQuestion[]) => list.filter(({ shared }) => !shared).length;
    expect(without(questions)).toBeGreaterThanOrEqual(questions.length / 3);
    const reported = questions.filter(({ to_choose_on }) => !to_choose_on);
    expect(without(reported)).toBeGreaterThanOrEqual(reported.length / 3);
  });

  it('find their answers also where words do not, and no less often where they do', () => {
    const index = indexTexts(memories.map(asText));
    const foundBy = (shared: boolean) => {
      const asked = questions.filter((one) => one.shared === shared).filter((_, at) => at % 12 === 0);
      const found = { words: 0, fused: 0 };
      for (const { question, answer } of asked) {
        const ranked = rankings(index, question) as Record<keyof typeof found, number[]>;
        for (const way of ['words', 'fused'] as const)
          if (ranked[way].slice(0, 10).some((at) => memories[at]?.id === answer)) found[way] += 1 / asked.length;
      }
      return found;
    };
    const { words, fused } = foundBy(false);
    expect(words).toBe(0);
    expect(fused).toBeGreaterThan(0.3);
    const both = foundBy(true);
    expect(both.fused).toBeGreaterThanOrEqual(both.words);
  });
});

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
    const foundBy = (way: string, asked: BenchQuestion[]) =>
      asked.filter(({ question, answer }) => {
        const best = (rankings(index, question) as Record<string, number[]>)[way] as number[];
        return best.slice(0, 10).some((at) => memories[at]?.id === answer);
      }).length / asked.length;
    const some = (shared: boolean) => questions.filter((one) => one.shared === shared).filter((_, at) => at % 8 === 0);
    expect(foundBy('words', some(false))).toBe(0);
    expect(foundBy('fused', some(false))).toBeGreaterThan(0.3);
    expect(foundBy('fused', some(true))).toBeGreaterThanOrEqual(foundBy('words', some(true)));
  });
});

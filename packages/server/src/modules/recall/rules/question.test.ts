import { describe, expect, it } from 'vitest';
import { questionTerms } from './question.ts';

const terms = (question: string) => questionTerms(question).map(({ words }) => words.join(' '));

describe('the terms of a question', () => {
  it('are the words that say what is asked, by their stems', () => {
    expect(terms('What did we decide about the retries of webhooks?')).toEqual(['decid', 'retri', 'webhook']);
  });

  it('are phrases where they are quoted or identifiers', () => {
    expect(terms('who set "max retries" and IS_ON in to-do lists?')).toEqual([
      'set',
      'max retri',
      'is on',
      'to do',
      'list',
    ]);
  });

  it('are all words of a question that has no others', () => {
    expect(terms('who is it?')).toEqual(['who', 'is', 'it']);
    expect(terms('  ?')).toEqual([]);
  });
});

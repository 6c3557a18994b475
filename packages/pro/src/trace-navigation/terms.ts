import type { Expression, Input, Term } from '@mem-service/server/module';
import { attributeToken, type FactName, factToken, spanMark, spanToken } from './tokens.ts';

export type TraceSearchInput = Input<'traces.search'>;

type Parse = (text: string) => Term[];

/** What a trace must have, all of it: phrases of words, and words that stand for facts. */
export function termsOf(input: TraceSearchInput, parse: Parse): Term[] {
  const word = (token: string): Term => ({ words: [token], prefix: false });
  const fact = (name: FactName, value: unknown): Term[] =>
    value === undefined ? [] : [word(factToken(name, String(value)))];
  return [
    ...parse(input.query ?? ''),
    ...Object.entries(input.attributes ?? {}).map(([key, value]) => word(attributeToken(key, value))),
    ...spanTerms(input, parse),
    ...fact('agent', input.agent_id),
    ...fact('outcome', input.outcome_type),
    ...fact('model', input.model),
    ...fact('tool', input.tool_name),
    ...fact('error', input.has_error),
  ];
}

/** The words of a name one after the other, of which the last may be the beginning of a word. */
function spanTerms({ span_name, span_kind }: TraceSearchInput, parse: Parse): Term[] {
  const kind: string | undefined = span_kind;
  if (span_name === undefined) return kind === undefined ? [] : [{ words: [spanMark(kind)], prefix: false }];
  const [phrase] = parse(`"${span_name.replaceAll('"', ' ')}"`);
  return phrase ? [{ words: phrase.words.map((word) => spanToken(word, kind)), prefix: true }] : [NOTHING];
}

/** Of no trace: a name without words is found nowhere. */
export const NOTHING: Term = { words: ['·'], prefix: false };

type Syntax = { term(term: Term, account: number): Expression; every(parts: readonly Expression[]): Expression };

/** The terms as an expression of the index; undefined where nothing is asked for. */
export const expressionOf = (syntax: Syntax, account: number, terms: readonly Term[]): Expression | undefined =>
  terms.length === 0 ? undefined : syntax.every(terms.map((term) => syntax.term(term, account)));

/** Whether words in their order have all the terms. */
export function hasTerms(words: readonly string[], terms: readonly Term[]): boolean {
  return terms.every((term) => words.some((_, at) => isPhraseAt(words, at, term)));
}

function isPhraseAt(words: readonly string[], at: number, { words: phrase, prefix }: Term): boolean {
  return phrase.every((word, i) => {
    const found = words[at + i];
    return prefix && i === phrase.length - 1 ? found?.startsWith(word) === true : found === word;
  });
}

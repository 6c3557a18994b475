import { parseQuery, type Term } from '../../text/rules/query.ts';

/** Words that say how something is asked, and not what. */
const ASKING_WORDS = new Set(
  `a an the this that these those it its
  i me my mine you your yours he him his she her hers we us our ours they them their theirs
  am is are was were be been being do does did doing done has have had having
  will would can could should shall may might must
  and or but if so than then there as of to in on at by for from with into about
  what which who whom whose when where why how`.split(/\s+/),
);

export const isAskingWord = (word: string): boolean => ASKING_WORDS.has(word);

/**
 * The terms that are looked up for a question in plain language. A question of such words alone keeps them all.
 */
export function questionTerms(question: string): Term[] {
  const terms = parseQuery(question);
  const kept = parseQuery(question.replaceAll(WORD, (word) => (ASKING_WORDS.has(word.toLowerCase()) ? ' ' : word)));
  return kept.length > 0 ? kept : terms;
}

/** A word of letters that stands apart: not a part of an identifier or of a short form. */
const WORD = /(?<![\p{L}\p{N}_.'’-])\p{L}+(?![\p{L}\p{N}_’'-])/gu;

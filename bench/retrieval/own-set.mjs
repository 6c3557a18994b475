// The memories of a software team's agents, and questions about them, all written for this bench.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { questionTerms } from '../../packages/server/src/modules/recall/rules/question.ts';
import { wordsOfEntry } from '../../packages/server/src/modules/text/rules/words.ts';
import { backgroundMemories } from './background.mjs';

const readLines = (file) =>
  readFileSync(join(import.meta.dirname, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/**
 * `memories` with `{ id, entity_path, key, value, session, place }`, `questions` with `{ question, answer, shared }`: the id of
 * the memory that answers, and whether it shares a word with the question. Those about every other session are marked
 * `to_choose_on`.
 */
export function readOwnSet() {
  const places = new Map();
  const placed = (memory) => {
    const place = places.get(memory.session) ?? 0;
    places.set(memory.session, place + 1);
    return { ...memory, id: `${memory.entity_path}/${memory.key}`, place };
  };
  const memories = [...readLines('memories.jsonl'), ...backgroundMemories()].map(placed);
  return { memories, questions: readLines('questions.jsonl') };
}

/** The form in which they are measured. */
export const asText = ({ id, entity_path, key, value, session, place }) => ({
  id,
  text: value,
  also: `${entity_path} ${key}`,
  sequence: session,
  place,
});

/** The words of a question, by stem, that its answer has too: in the path, the key or the value. */
export function sharedWords(question, memory) {
  const known = new Set(wordsOfEntry(memory));
  return questionTerms(question)
    .flatMap(({ words }) => words)
    .filter((word) => known.has(word));
}

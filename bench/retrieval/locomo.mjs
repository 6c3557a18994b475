// Reads conversations in the format of LoCoMo: the single file with all of them, or one file for each.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Questions of category 5 have no answer in the conversation: their evidence only looks like one. */
export const ANSWERABLE = new Set([1, 2, 3, 4]);

export function readConversations(files) {
  return files.flatMap((file) => {
    const given = JSON.parse(readFileSync(file, 'utf8'));
    return (Array.isArray(given) ? given : [given]).map((one) =>
      conversationOf(one, one.sample_id ?? basename(file, '.json')),
    );
  });
}

function conversationOf(sample, name) {
  const talk = sample.conversation ?? sample;
  const sessions = Object.keys(talk)
    .map((key) => /^session_(\d+)$/.exec(key)?.[1])
    .filter((number) => number !== undefined && Array.isArray(talk[`session_${number}`]))
    .sort((a, b) => a - b);
  const texts = sessions.flatMap((number) =>
    talk[`session_${number}`].map((turn, place) => ({
      id: idsIn(turn.dia_id)[0],
      text: turn.blip_caption ? `${turn.text ?? ''} ${turn.blip_caption}` : (turn.text ?? ''),
      also: turn.speaker,
      sequence: number,
      place,
    })),
  );
  const known = new Set(texts.map(({ id }) => id));
  const questions = sample.qa
    .map(({ question, category, evidence = [] }) => ({
      question: String(question),
      category,
      targets: [...new Set(evidence.flatMap(idsIn))].filter((id) => known.has(id)),
    }))
    .filter(({ targets }) => targets.length > 0);
  return { name, texts, questions };
}

/** Some lists of evidence hold several ids in one text, or ids with leading zeros. */
const idsIn = (text) =>
  [...String(text).matchAll(/D:?(\d+):(\d+)/g)].map(([, session, turn]) => `D${Number(session)}:${Number(turn)}`);

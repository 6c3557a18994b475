import { createHash } from 'node:crypto';
import { statedConfidence } from './confidence.ts';
import { idOf, isJsonObject, type JsonObject, textOf, withoutEmpty } from './json-objects.ts';
import { toExpiry, toTime } from './times.ts';

/** A memory as a file has it. */
export type Mem0Memory = {
  id: string;
  text: string;
  at: string | undefined;
  ttl_at: string | undefined;
  confidence: number | undefined;
  members: JsonObject;
};

/** Undefined where there is no text. */
export function memoryOf(members: JsonObject): Mem0Memory | undefined {
  const { data } = members;
  const text = [members.memory, isJsonObject(data) ? data.memory : data, members.text, members.content]
    .map(textOf)
    .find((one) => one !== undefined && one.trim() !== '');
  if (text === undefined) return undefined;
  const { metadata } = members;
  return {
    id: idOf(members.id) ?? idOf(members.memory_id) ?? idFrom(text, members),
    text,
    at: toTime(members.updated_at) ?? toTime(members.created_at),
    ttl_at: toExpiry(members.expiration_date) ?? toExpiry(members.expires_at),
    confidence: statedConfidence(members.confidence, isJsonObject(metadata) ? metadata.confidence : undefined),
    members,
  };
}

const IDS = ['user_id', 'agent_id', 'run_id', 'app_id', 'actor_id'] as const;

/**
 * Some exports have no ids. The same text about the same subject gets the same one each time, so that importing it again
 * changes nothing.
 */
function idFrom(text: string, members: JsonObject): string {
  const subject = IDS.map((name) => idOf(members[name]) ?? '');
  const hash = createHash('sha256').update(JSON.stringify([text.normalize('NFC'), ...subject]));
  return `memory-${hash.digest('hex').slice(0, 16)}`;
}

/** Members that are kept elsewhere, or that follow from the text. */
const ELSEWHERE = new Set<string>([
  ...['id', 'memory_id', 'memory', 'data', 'text', 'content', 'hash', 'created_at', 'updated_at', 'confidence'],
  ...IDS,
]);

/** The ids that the path and the session of an entry show; the author may be another one, from the history. */
export type ShownIds = Partial<Record<(typeof IDS)[number], string | undefined>>;

/** The text and everything else that the other system has recorded. */
export function memoryValue(text: string, members: JsonObject, shown: ShownIds): JsonObject {
  const { created_at, updated_at, confidence } = members;
  const rest = Object.entries(members).filter(([name]) => !ELSEWHERE.has(name));
  const ids = IDS.flatMap((name) => (idOf(members[name]) === shown[name] ? [] : [[name, members[name]]]));
  return {
    memory: text,
    ...withoutEmpty({
      ...Object.fromEntries([...rest, ...ids]),
      created_at: textOf(updated_at) && created_at !== updated_at ? created_at : undefined,
      confidence: statedConfidence(confidence) === undefined ? confidence : undefined,
    }),
  };
}

import { hash } from 'node:crypto';
import { JsonText } from '@mem-service/contract';
import type { Row } from '../db/index.ts';

/** Members that hold the name of an agent, or of something that may be one. */
const NAMING = /agent|author|actor|_by$|^source$|^target$/;

const entryText = (entity_path: string, key: string) => `entry\n${entity_path}\n${key}`;
const agentText = (agent_id: string) => `name\n${agent_id}`;

/** Hashed, so that the names themselves are stored in one place less, and are all of one length. */
const hashOf = (text: string): string => hash('sha256', text, 'base64url');

export const hashOfEntry = ({ entity_path, key }: { entity_path: string; key: string }): string =>
  hashOf(entryText(entity_path, key));
export const hashOfAgent = (agent_id: string): string => hashOf(agentText(agent_id));

/**
 * The hashes of the entries and agents that an answer names: what an erasure finds it by. `holds` are further names that
 * a handler declares, because the answer has them in a document or in a sentence.
 */
export function answerNames(output: unknown, holds: unknown): string[] {
  const names = new Set<string>();
  collect(output, '', names);
  collect(holds, '', names);
  return [...names].map(hashOf);
}

function collect(part: unknown, member: string, names: Set<string>): void {
  if (typeof part === 'string') {
    if (NAMING.test(member)) names.add(agentText(part));
    return;
  }
  if (typeof part !== 'object' || part === null || part instanceof JsonText) return;
  if (Array.isArray(part)) {
    for (const one of part) collect(one, member, names);
    return;
  }
  const { entity_path, key } = part as { entity_path?: unknown; key?: unknown };
  if (typeof entity_path === 'string' && typeof key === 'string') names.add(entryText(entity_path, key));
  for (const [name, one] of Object.entries(part)) collect(one, name, names);
}

/** An answer that is kept for retries. `names` are hashes of what it names. */
export type KeptAnswer = {
  idempotency_key: string;
  request_hash: string;
  holder: string;
  names: string[];
  answer: string;
};

/** The rows of kept answers, and of what they name. */
export function answerRows(
  kept: readonly KeptAnswer[],
  { account_id, now: created_at }: { account_id: string; now: number },
): { answers: Row[]; names: Row[] } {
  const names = kept.flatMap(({ names, idempotency_key }) =>
    names.map((name_hash) => ({ account_id, name_hash, idempotency_key, created_at })),
  );
  const answers = kept.map(({ names: _, ...answer }) => ({ account_id, created_at, is_named: 1, ...answer }));
  return { answers, names };
}

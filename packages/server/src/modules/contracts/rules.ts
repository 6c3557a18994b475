import { type FieldError, matchesGlob, parseGlob } from '@mem-service/contract';

/** A rule that an agent sets for its own writes. */
export type Contract = {
  entity_path: string;
  key_pattern: string;
  min_confidence: number | null;
  max_confidence: number | null;
  required_fields: readonly string[];
  ttl_required: boolean;
  description: string;
};

/** A version that is about to be written. */
export type CheckedWrite = {
  entity_path: string;
  key: string;
  /** The final value, with defaults filled in. */
  confidence: number;
  ttl_at: number | null;
  value: unknown;
};

export type Violation = FieldError & { rule: string };

/** Every rule of the contract that the write breaks; none where the contract does not cover the entry. */
export function violationsOf(contract: Contract, write: CheckedWrite): Violation[] {
  if (!isAbout(contract, write)) return [];
  const { min_confidence, max_confidence, required_fields, ttl_required } = contract;
  const found: Violation[] = [];
  const add = (rule: string, path: string, message: string) =>
    found.push({ path, message: `${message} (contract of the agent for ${contractName(contract)})`, rule });
  if (min_confidence !== null && write.confidence < min_confidence)
    add('min_confidence', 'confidence', `must be at least ${min_confidence}`);
  if (max_confidence !== null && write.confidence > max_confidence)
    add('max_confidence', 'confidence', `must be at most ${max_confidence}`);
  for (const field of required_fields)
    if (!hasField(write.value, field.split('.'))) add('required_fields', `value.${field}`, 'is required');
  if (ttl_required && write.ttl_at === null) add('ttl_required', 'ttl_at', 'is required');
  return found;
}

const contractName = ({ entity_path, key_pattern }: Contract) => `${entity_path}, key ${key_pattern}`;

function isAbout({ entity_path, key_pattern }: Contract, write: CheckedWrite): boolean {
  const glob = parseGlob(entity_path);
  return glob !== undefined && matchesGlob(glob, write.entity_path) && matchesPattern(key_pattern, write.key);
}

/** `*` matches any characters, including none; everything else matches itself. */
export function matchesPattern(pattern: string, text: string): boolean {
  const [start = '', ...rest] = pattern.split('*');
  const end = rest.pop();
  if (end === undefined) return text === pattern;
  if (!text.startsWith(start)) return false;
  let from = start.length;
  // The first match leaves most room for the rest.
  for (const piece of rest) {
    const at = text.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return text.length - end.length >= from && text.endsWith(end);
}

/** Whether there is a member at the path; the members of a list are its positions. */
function hasField(value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false;
  return hasField((value as Record<string, unknown>)[name], rest);
}

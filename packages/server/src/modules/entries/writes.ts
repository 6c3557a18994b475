import { Fault, type Input } from '@mem-service/contract';
import {
  type Caller,
  fromIso,
  type Handlers,
  type Item,
  type Services,
  type Work,
  writes,
  writesTogether,
} from '../../kernel/index.ts';
import { EntrySet } from './apply.ts';
import * as queries from './queries.ts';
import { notFound } from './reads.ts';
import { toEntry, toVersion } from './rows.ts';
import { isArtifact } from './rules/artifact.ts';
import { type Draft, isLive, mayAgentSee } from './rules/next.ts';
import { assessQuality } from './rules/quality.ts';

type Author = { agent_id?: string | undefined; session_id?: string | undefined };
type Place = { branch: string; entity_path: string; key: string };

/** Names in the body win over those of the request. */
export const authorOf = (input: Author, caller: Caller) => ({
  agent_id: input.agent_id ?? caller.agent_id,
  session_id: input.session_id ?? caller.session_id,
});

type WriteInput = Input<'commits.create'>['writes'][number];

export function toDraft(
  input: WriteInput,
  author: { agent_id: string; session_id: string | null; branch: string },
  now: number,
): Draft {
  const refs = (list: readonly unknown[] | undefined) => (list === undefined ? undefined : JSON.stringify(list));
  const ttl = input.ttl_at === undefined ? undefined : fromIso(input.ttl_at);
  return {
    ...author,
    entity_path: input.entity_path,
    key: input.key,
    value: input.value.text,
    confidence: input.confidence,
    memory_type: input.memory_type,
    shared: input.shared,
    pattern_refs: refs(input.pattern_refs),
    artifact_refs: refs(input.artifact_refs),
    ttl_at: input.ttl_seconds === undefined ? ttl : now + Math.round(input.ttl_seconds * 1000),
    is_artifact: isArtifact(input.key, input.value.text),
    if_version: input.if_version,
  };
}

export function checkSize({ limits }: Services, { value, entity_path, key }: WriteInput): void {
  const bytes = Buffer.byteLength(value.text);
  if (bytes > limits.max_value_bytes)
    throw new Fault('value_too_large', `the value has ${bytes} bytes; ${limits.max_value_bytes} are allowed`, {
      entity_path,
      key,
      max_value_bytes: limits.max_value_bytes,
    });
}

function writeOne(work: Work, entries: EntrySet, { input, caller }: Item<'entries.write'>) {
  checkSize(work.services, input);
  const draft = toDraft(input, { ...authorOf(input, caller), branch: input.branch }, work.now);
  const { entry, unchanged } = entries.apply(draft);
  const quality = assessQuality({
    key: entry.key,
    value: input.value.value,
    confidence: entry.confidence,
    memory_type: entry.memory_type,
    pattern_refs: input.pattern_refs ?? [],
  });
  return { ...toEntry(entry), unchanged, quality };
}

const write = writesTogether<'entries.write'>(async (work, items) => {
  const entries = await EntrySet.load(
    work,
    items.map(({ input }) => input),
  );
  const results = items.map((item) => {
    try {
      return writeOne(work, entries, item);
    } catch (error) {
      if (error instanceof Fault) return error;
      throw error;
    }
  });
  await entries.save();
  return results;
});

/** The entry a caller wants to change, which must be there and be its to see. */
async function loadVisible(work: Work, input: Place & Author, caller: Caller) {
  const entries = await EntrySet.load(work, [input]);
  const entry = entries.get(input);
  const author = authorOf(input, caller);
  const visible = entry && mayAgentSee(entry, author.agent_id) ? entry : undefined;
  return { entries, entry: visible, author };
}

const remove = writes<'entries.delete'>(async (work, { input, caller }) => {
  const { entries, entry, author } = await loadVisible(work, input, caller);
  if (!entry || !isLive(entry, work.now)) throw notFound(input);
  const { branch, entity_path, key, if_version } = input;
  const draft: Draft = { branch, entity_path, key, if_version, ...author, value: undefined };
  const { entry: tombstone } = entries.apply(draft, { event_type: 'delete' });
  await entries.save();
  return toVersion(tombstone);
});

const restore = writes<'entries.restore'>(async (work, { input, caller }) => {
  const { entries, entry, author } = await loadVisible(work, input, caller);
  const old = await queries.getVersion(work.tx, { account_id: work.account_id, ...input }, input.version);
  if (!entry || !old || old.deleted === 1 || !mayAgentSee(old, author.agent_id)) throw notFound(input, input.version);
  const draft: Draft = {
    branch: input.branch,
    entity_path: input.entity_path,
    key: input.key,
    ...author,
    value: old.value,
    confidence: old.confidence,
    memory_type: old.memory_type,
    shared: old.shared === 1,
    pattern_refs: old.pattern_refs,
    artifact_refs: old.artifact_refs,
    ttl_at: null,
    is_artifact: old.is_artifact === 1,
    if_version: input.if_version,
  };
  const restored = { event_type: 'write', details: { restored_from: old.version } };
  const applied = entries.apply(draft, restored);
  await entries.save();
  return { ...toEntry(applied.entry), unchanged: applied.unchanged, restored_from: old.version };
});

export const writeHandlers: Handlers = {
  'entries.write': write,
  'entries.delete': remove,
  'entries.restore': restore,
};

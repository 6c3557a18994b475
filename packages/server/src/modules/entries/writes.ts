import { Fault, JsonText, type Output } from '@mem-service/contract';
import {
  branchOf,
  type Caller,
  changed,
  entryName,
  type Handlers,
  isInScope,
  type Lineage,
  missingScope,
  prepares,
  readScope,
  sessionName,
  unchanged,
  viewInWork,
  type Work,
  type WriteItem,
  type WriteResult,
  writes,
  writesTogether,
} from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import { type ContractCheck, loadContracts } from '../contracts/index.ts';
import { type StaleRead, staleReadsOfWriter } from '../sessions/index.ts';
import { type AppliedWrite, EntrySet } from './apply.ts';
import { type CommitWriteInput, checkWrite, expiryOf } from './check-write.ts';
import { fadedMember } from './effective.ts';
import type { EntryPlace } from './inherited-rows.ts';
import { prepareWrites, secretSearch } from './prepare.ts';
import type * as queries from './queries.ts';
import { notFound } from './reads.ts';
import type { EntryAddress } from './rows.ts';
import { type EntryRow, entryText, fromDocument, toVersion } from './rows.ts';
import { isArtifact } from './rules/artifact.ts';
import { type EntryDraft, isLive, mayAgentSee } from './rules/next.ts';
import { assessQuality } from './rules/quality.ts';
import { getNewestContent, getVersion } from './version-queries.ts';

type AuthorInput = { agent_id?: string | undefined; session_id?: string | undefined };

/** Names in the body override those of the request. */
export function authorOf(
  input: AuthorInput,
  caller: Caller,
): { agent_id: string; session_id: string | null; session: string } {
  const session_id = input.session_id ?? caller.session_id;
  return { agent_id: input.agent_id ?? caller.agent_id, session_id, session: sessionName(session_id, caller) };
}

type WriteOrigin = { agent_id: string; session_id: string | null; session: string; branch: string };

export function toDraft(input: CommitWriteInput, origin: WriteOrigin, now: number): EntryDraft {
  const refs = (list: readonly unknown[] | undefined) => (list === undefined ? undefined : JSON.stringify(list));
  return {
    entity_path: input.entity_path,
    key: input.key,
    value: input.value.text,
    parsed: input.value.value,
    confidence: input.confidence,
    memory_type: input.memory_type,
    shared: input.shared,
    pattern_refs: refs(input.pattern_refs),
    artifact_refs: refs(input.artifact_refs),
    ttl_at: expiryOf(input, now),
    is_artifact: isArtifact(input.key, input.value.text),
    if_version: input.if_version,
    if_exists: input.if_exists,
    ...origin,
  };
}

export type SessionAuthor = { agent_id: string; session: string };

/** Returns what the sessions of a batch have read and others have changed since; looks up each session once. */
export async function staleReadsOf(
  work: Work,
  authors: readonly SessionAuthor[],
): Promise<(author: SessionAuthor) => StaleRead[]> {
  const found = new Map<string, Promise<StaleRead[]>>();
  const nameOf = ({ agent_id, session }: SessionAuthor) => `${agent_id}\n${session}`;
  await work.locked;
  const { account_id } = work;
  for (const author of authors)
    if (!found.has(nameOf(author))) {
      const { agent_id, session } = author;
      found.set(nameOf(author), staleReadsOfWriter(work, { account_id, agent_id, session }));
    }
  const stale = new Map(await Promise.all([...found].map(async ([name, list]) => [name, await list] as const)));
  return (author) => stale.get(nameOf(author)) ?? [];
}

/** Drops stale reads outside the caller's scope: another key of the same session may have read them. */
export const staleReadsInScope = (caller: Caller, stale: readonly StaleRead[]): StaleRead[] =>
  stale.filter(({ entity_path }) => isInScope(readScope(caller), entity_path));

/** Refuses a write with `if_unchanged` when an entry that its session read has changed. */
export function checkUnchanged(if_unchanged: boolean, stale_reads: readonly StaleRead[]): void {
  if (!if_unchanged || stale_reads.length === 0) return;
  const { entity_path, key } = stale_reads[0] as StaleRead;
  const others = stale_reads.length === 1 ? '' : ` and ${stale_reads.length - 1} more`;
  const message = `${entity_path}/${key}${others} changed since it was read`;
  throw new Fault('stale_reads', message, { entity_path, key, stale_reads });
}

type Loaded = {
  entries: EntrySet;
  check: ContractCheck | undefined;
  author: SessionAuthor & { session_id: string | null };
  stale_reads: StaleRead[];
};

async function writeOne(work: Work, item: WriteItem<'entries.write'>, { entries, author, stale_reads, check }: Loaded) {
  const { input } = item;
  checkUnchanged(input.if_unchanged, stale_reads);
  const warnings = checkWrite(work, input, {
    at: '',
    n: 0,
    search: secretSearch(work.services, item.prepared),
    branch: branchOf(item),
  });
  const draft = toDraft(input, { branch: branchOf(item), ...author }, work.now);
  if (item.prepared !== undefined) await entries.compare(draft);
  const applied = entries.apply(draft, undefined, check);
  const { entry, unchanged } = applied;
  if (item.prepared !== undefined) await pause();
  const quality = assessQuality({
    key: entry.key,
    value: input.value.value,
    confidence: entry.confidence,
    memory_type: entry.memory_type,
    pattern_refs: input.pattern_refs ?? [],
  });
  const output = writtenText<Output<'entries.write'>>(work, entry, { unchanged, quality, warnings, stale_reads });
  return asWritten(applied, output, stale_reads);
}

/** The written entry with facts about the write; a transport needs `unchanged` and the address. */
function writtenText<T>(work: Work, entry: EntryRow, about: { unchanged: boolean } & Record<string, unknown>): T {
  const faded = fadedMember(work.services, entry, work.now);
  return new JsonText(entryText(entry, `${faded},${JSON.stringify(about).slice(1, -1)}`), {
    entity_path: entry.entity_path,
    key: entry.key,
    unchanged: about.unchanged,
  }) as T;
}

/** The answer is a document, so the names in it are declared. */
function asWritten<T>(
  { entry, before, unchanged: isUnchanged }: AppliedWrite,
  output: T,
  stale_reads: readonly StaleRead[] = [],
): WriteResult<T> {
  const { entity_path, key, agent_id, content_hash } = entry;
  const holds = [{ entity_path, key, agent_id }, stale_reads];
  if (isUnchanged) return unchanged(output, holds);
  return changed(output, { resource: entryName(entity_path, key), before, after: content_hash, holds });
}

const write = writesTogether<'entries.write'>(async (work, items) => {
  const results: WriteBatch[] = [];
  for (const part of partsToWrite(items)) results.push(...(await writePart(work, part)));
  return results;
});

type WriteItems = readonly WriteItem<'entries.write'>[];
type WriteBatch = WriteResult<Output<'entries.write'>> | Fault;

/** A write with `if_unchanged` starts a new part, so that the writes before it are stored when it checks. */
function partsToWrite(items: WriteItems): WriteItem<'entries.write'>[][] {
  const parts: WriteItem<'entries.write'>[][] = [];
  for (const item of items) {
    const last = parts.at(-1);
    if (last && !item.input.if_unchanged) last.push(item);
    else parts.push([item]);
  }
  return parts;
}

async function writePart(work: Work, items: WriteItems): Promise<WriteBatch[]> {
  const authors = items.map(({ input, caller }) => authorOf(input, caller));
  const [entries, staleOf, check] = await Promise.all([
    EntrySet.load(
      work,
      items.map(({ input, lineage }) => placeOf(input, lineage)),
    ),
    staleReadsOf(work, authors),
    loadContracts(
      work,
      authors.map(({ agent_id }) => agent_id),
    ),
  ]);
  const results: WriteBatch[] = [];
  for (const [i, item] of items.entries()) {
    const author = authors[i] as (typeof authors)[number];
    // Only large values were prepared: small ones need no pause between them.
    if (item.prepared !== undefined) await pause();
    try {
      const stale_reads = staleReadsInScope(item.caller, staleOf(author));
      results.push(await writeOne(work, item, { entries, author, check, stale_reads }));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      results.push(error);
    }
  }
  await entries.save();
  return results;
}

/** A write goes to the first branch of its lineage. */
const placeOf = ({ entity_path, key }: queries.EntryKey, lineage: Lineage): EntryPlace => ({
  branch: branchOf({ lineage }),
  entity_path,
  key,
  lineage,
});

type EntryItem = { input: EntryAddress & AuthorInput; caller: Caller; lineage: Lineage };

/** Loads the entry to change, unless it is visible only to another agent. */
async function loadOpen(work: Work, { input, caller, lineage }: EntryItem) {
  const at = placeOf(input, lineage);
  const entries = await EntrySet.load(work, [at]);
  const entry = entries.get(at);
  const author = authorOf(input, caller);
  const isOpen = entry && (!isLive(entry, work.now) || mayAgentSee(entry, author.agent_id));
  return { entries, entry: isOpen ? entry : undefined, author };
}

const remove = writes<'entries.delete'>(async (work, { input, caller, lineage }) => {
  const { entries, entry, author } = await loadOpen(work, { input, caller, lineage });
  if (!entry || !isLive(entry, work.now)) throw notFound(input);
  const { entity_path, key, if_version } = input;
  const branch = branchOf({ lineage });
  const draft: EntryDraft = { branch, entity_path, key, if_version, ...author, value: undefined };
  const { entry: tombstone, before } = entries.apply(draft, { event_type: 'delete' });
  await entries.save();
  const holds = { entity_path, key, agent_id: author.agent_id };
  return changed(toVersion(tombstone), { resource: entryName(entity_path, key), before, after: null, holds });
});

const restore = writes<'entries.restore'>(async (work, { input, caller, lineage }) => {
  // The answer shows the old version.
  if (!isInScope(readScope(caller), input.entity_path))
    throw missingScope('READ', { kind: 'exact', path: input.entity_path });
  const { entries, entry, author } = await loadOpen(work, { input, caller, lineage });
  const view = viewInWork(work, { lineage, agent_id: author.agent_id });
  const { version } = input;
  const old =
    version === undefined
      ? await getNewestContent(work.tx, view, input)
      : await getVersion(work.tx, view, { ...input, version });
  if (!entry || !old || old.deleted === 1 || !mayAgentSee(old, author.agent_id)) throw notFound(input, input.version);
  const { origin: _, deleted: __, ...content } = fromDocument(old);
  const { entity_path, key, if_version, if_exists } = input;
  const branch = branchOf({ lineage });
  const draft: EntryDraft = {
    ...content,
    ...author,
    branch,
    entity_path,
    key,
    if_version,
    if_exists,
    shared: content.shared === 1,
    is_artifact: content.is_artifact === 1,
    ttl_at: null,
  };
  await entries.compare(draft);
  await pause();
  const restored_from = old.version;
  const applied = entries.apply(
    draft,
    { event_type: 'write', details: { restored_from } },
    await loadContracts(work, [author.agent_id]),
  );
  await entries.save();
  const about = { unchanged: applied.unchanged, restored_from };
  return asWritten(applied, writtenText<Output<'entries.restore'>>(work, applied.entry, about));
});

export const writeHandlers: Handlers = {
  'entries.write': prepares((services, input) => prepareWrites(services, [input]), write),
  'entries.delete': remove,
  'entries.restore': restore,
};

import type { Input, Output } from '@mem-service/contract';
import {
  branchOf,
  changed,
  fromIso,
  type Handler,
  hashedBy,
  prepares,
  unchanged,
  type Work,
  type WriteItem,
  writes,
} from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import { loadContracts } from '../contracts/index.ts';
import { authorOf, checkWrites, type EntryDraft, EntrySet, prepareWrites, toDraft } from '../entries/index.ts';
import { type LinkedOnce, linkAllOnce } from '../graph/index.ts';
import { ImportHeads } from './import-heads.ts';

type ImportInput = Input<'entries.import'>;
type ImportedEntry = ImportInput['entries'][number];
type ImportResult = Output<'entries.import'>['entries'][number];

const importAllOrNothing = writes<'entries.import'>(async (work, item) => {
  await work.locked;
  const { dry_run } = item.input;
  const warnings = checkWrites(work, item.input.entries, {
    name: 'entries',
    branch: branchOf(item),
    prepared: item.prepared,
  });
  const entries = await importAll(work, item);
  const links = await linkAll(work, item);
  const import_id = dry_run ? null : work.services.ids.next(work.now);
  const output = {
    dry_run,
    import_id,
    entries,
    links: links.map((status) => ({ status })),
    warnings,
    written: entries.filter(({ status }) => status === 'written').length,
    linked: links.filter((status) => status === 'written').length,
  };
  return import_id === null ? unchanged(output) : changed(output, { resource: import_id, ...hashedBy(output) });
});

export const importEntries: Handler<'entries.import'> = prepares(
  (services, input) => prepareWrites(services, input.entries),
  importAllOrNothing,
);

async function importAll(work: Work, item: WriteItem<'entries.import'>): Promise<ImportResult[]> {
  const { input } = item;
  const { branch, source, on_conflict, dry_run } = input;
  const drafts = input.entries.map((entry) => draftOf(work, item, entry));
  const set = await EntrySet.load(work, drafts);
  const check = await loadContracts(
    work,
    drafts.map(({ agent_id }) => agent_id),
  );
  const heads = await ImportHeads.load(work, set, drafts);
  const results: ImportResult[] = [];
  for (const [i, draft] of drafts.entries()) {
    await pause();
    const { entity_path, key } = draft;
    const decision = heads.decide(draft, on_conflict);
    if (decision.status === 'written') {
      const { source_id, written_at } = input.entries[i] as ImportedEntry;
      const details = { imported_from: source, source_id, written_at };
      const applied = { ...draft, branch, written_at: decision.written_at };
      if (dry_run) heads.pretend(applied);
      else heads.wrote(applied, set.apply(applied, { event_type: 'write', details }, check).entry);
    }
    results.push({ entity_path, key, status: decision.status, version: heads.versionOf(draft) });
  }
  if (!dry_run) await set.save();
  return results;
}

function draftOf(work: Work, { input, caller }: WriteItem<'entries.import'>, entry: ImportedEntry): EntryDraft {
  const author = authorOf({ agent_id: entry.agent_id ?? input.agent_id, session_id: entry.session_id }, caller);
  const { written_at } = entry;
  return {
    ...toDraft(entry, { ...author, branch: input.branch }, work.now),
    // Clocks of the source may be ahead.
    ...(written_at === undefined ? {} : { written_at: Math.min(fromIso(written_at), work.now) }),
  };
}

async function linkAll(work: Work, { input, caller, lineage }: WriteItem<'entries.import'>): Promise<LinkedOnce[]> {
  const { branch, dry_run, session_id } = input;
  // Without links there are no ends to look up.
  if (input.links.length === 0) return [];
  await work.waitForSent();
  const stated = input.links.map((link) => {
    const agent_id = link.agent_id ?? input.agent_id;
    return { input: { ...link, branch, agent_id, session_id, confidence: 1, shared: true }, caller, lineage };
  });
  const found = await linkAllOnce(work, stated, dry_run);
  // In a dry run nothing was written, so a missing end may be an entry of this import.
  return dry_run ? found.map((status) => (status === 'missing' ? 'written' : status)) : found;
}

import type { Consumer, EntryChange, EntryHead, LogEvent, Module, Projection, Work } from '../../kernel/index.ts';
import { findEntries } from './queries.ts';
import { type EntryRow, fromDocument, type VersionRow } from './rows.ts';
import { findWholeVersions } from './version-queries.ts';

/** The events that each belong to a version. */
const VERSION_EVENTS = ['write', 'delete', 'expire'];

/** Adds a consumer to each module whose projections `run` as consumers. */
export const withProjectionConsumers = (modules: readonly Module[]): Module[] =>
  modules.map((module) => {
    const following = (module.projections ?? []).filter(({ runs }) => runs === 'as a consumer');
    if (following.length === 0) return module;
    return { ...module, consumers: [...(module.consumers ?? []), ...following.map(projectionConsumer)] };
  });

/**
 * Applies a projection to the events of the log, after the writes, with the same changes that the writes would have passed.
 */
export function projectionConsumer(projection: Projection): Consumer {
  const { name, rowColumns, applyStandings, applyReads } = projection;
  if (rowColumns || applyStandings || applyReads)
    throw new Error(`the projection ${name} needs data that only the transaction of a write has`);
  return {
    name: `projections.${name}`,
    event_types: VERSION_EVENTS,
    starts_at: 'the beginning',
    handle: ({ work }, events) =>
      work(async (work) => {
        const changes = await changesOf(work, events);
        if (changes.length > 0) await projection.apply(work, changes);
      }),
  };
}

type Written = { branch: string; entity_path: string; key: string; first: number; last: number };

/** Returns what a range of the log changed in each entry. Entries erased since then are left out. */
async function changesOf(work: Work, events: readonly LogEvent[]): Promise<EntryChange[]> {
  const written = [...writtenIn(events).values()];
  const { account_id, tx } = work;
  const entries = await tx.findMany<EntryRow>(
    findEntries,
    written.map(({ branch, entity_path, key }) => [account_id, branch, entity_path, key]),
  );
  const wanted = written.flatMap(({ first, last }, i) => {
    const entry = entries[i];
    if (!entry) return [];
    return Array.from({ length: last - first + 2 }, (_, n) => ({ entry, version: first - 1 + n, first, last }));
  });
  const rows = await tx.findMany<VersionRow>(
    findWholeVersions,
    wanted.map(({ entry, version }) => [account_id, entry.entry_id, version]),
  );
  const changes: EntryChange[] = [];
  for (let at = 0; at < wanted.length; ) {
    const { entry, first, last } = wanted[at] as (typeof wanted)[number];
    const count = last - first + 2;
    changes.push(...changeOf(entry, rows.slice(at, at + count)));
    at += count;
  }
  return changes;
}

function writtenIn(events: readonly LogEvent[]): Map<string, Written> {
  const written = new Map<string, Written>();
  for (const { branch, entity_path, key, version } of events) {
    // An event without a name belongs to an erased entry.
    if (entity_path === null || key === null || version === null) continue;
    const name = `${branch}\n${entity_path}\n${key}`;
    const known = written.get(name);
    if (known) known.last = version;
    else written.set(name, { branch, entity_path, key, first: version, last: version });
  }
  return written;
}

/** `versions` holds the version before the change, if there was one, and all versions written since. */
function changeOf(entry: EntryRow, [previous, ...versions]: readonly (VersionRow | undefined)[]): EntryChange[] {
  const heads = versions.flatMap((row) => (row ? [headOf(entry, row)] : []));
  const after = heads.pop();
  if (!after) return [];
  const newest = versions.at(-1) as VersionRow;
  return [
    {
      before: previous && headOf(entry, previous),
      after,
      value: newest.deleted === 1 ? undefined : JSON.parse(fromDocument(newest).value),
      replaced: heads.length > 0 ? heads : undefined,
    },
  ];
}

/** The head of an entry as it was at a version. */
function headOf({ branch, entity_path, key }: EntryRow, row: VersionRow): EntryHead {
  const { memory_type, pattern_refs } = fromDocument(row);
  const { entry_id, seq, deleted, shared, agent_id, confidence, written_at } = row;
  return {
    ...{ entry_id, branch, entity_path, key, seq, deleted, shared, agent_id, memory_type, confidence, pattern_refs },
    written_at,
  };
}

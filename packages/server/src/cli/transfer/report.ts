import type { EntryKey } from '@mem-service/contract';
import { describeLocation, type MemoryLocation } from '@mem-service/mcp/location';
import { clean } from '../render/index.ts';

export type ForeignImportReport = {
  system: string;
  dry_run: boolean;
  /** Where it went, or would go. */
  memory: MemoryLocation;
  found: {
    /** The number of keys, and of their versions. */
    entries: number;
    versions: number;
    links: number;
    repeated: number;
    similar: (EntryKey & { like: EntryKey })[];
    notes: string[];
  };
  entries: { written: number; unchanged: number; skipped: number; older: number };
  links: { written: number; unchanged: number; missing: number };
  /** Existing entries with another value. */
  conflicts: (EntryKey & { status: string; version: number })[];
  /** Skipped, because the service does not accept values of that size. */
  too_large: EntryKey[];
  /** Skipped, because they look like secrets and the service is set to refuse those. */
  secrets: EntryKey[];
  /** Imported, although they look like secrets. */
  warnings: (EntryKey & { kinds: string[] })[];
};

const MAX_LISTED = 20;

const entryText = ({ entity_path, key }: EntryKey) => clean(`${entity_path} ${key}`);

const FATES: Record<string, string> = {
  written: 'another value was there: a new version',
  skipped: 'another value was there: kept',
  older: 'the existing version is newer: kept',
};

/** What was found and imported, for people. */
export function reportText({
  system,
  dry_run,
  memory,
  found,
  entries,
  links,
  conflicts,
  too_large,
  secrets,
  warnings,
}: ForeignImportReport): string {
  const verb = dry_run ? 'would write' : 'wrote';
  const lines = [
    `${system}: ${found.entries} entries in ${found.versions} versions, ${found.links} links`,
    `${verb} ${entries.written} versions and ${links.written} links`,
    `the same already: ${entries.unchanged} versions and ${links.unchanged} links`,
    `memory: ${clean(describeLocation(memory))}`,
    ...(entries.skipped > 0 ? [`kept because another value was there: ${entries.skipped}`] : []),
    ...(entries.older > 0 ? [`kept because the existing version is newer: ${entries.older}`] : []),
    ...(links.missing > 0 ? [`links skipped because an end does not exist: ${links.missing}`] : []),
    ...(found.repeated > 0 ? [`more than once in the files, imported once: ${found.repeated}`] : []),
    ...found.notes.map(clean),
    ...listed('too large for the service, skipped', too_large.map(entryText)),
    ...listed('like a secret, which the service refuses: skipped', secrets.map(entryText)),
    ...listed(
      'like a secret, imported all the same',
      warnings.map((one) => `${entryText(one)}: ${one.kinds.join(', ')}`),
    ),
    ...listed(
      'entries that were there',
      conflicts.map((one) => `${entryText(one)}: ${FATES[one.status]}`),
    ),
    ...listed(
      'nearly the same in the files',
      found.similar.map((one) => `${entryText(one)} is like ${entryText(one.like)}`),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function listed(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const rest = items.length - MAX_LISTED;
  return [
    `${title}:`,
    ...items.slice(0, MAX_LISTED).map((item) => `  ${item}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ];
}

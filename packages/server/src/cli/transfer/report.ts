import type { EntryKey } from '@mem-service/contract';
import { clean } from '../render/index.ts';

export type ForeignImportReport = {
  system: string;
  dry_run: boolean;
  found: {
    /** How many keys, and how many versions of them. */
    entries: number;
    versions: number;
    links: number;
    repeated: number;
    similar: (EntryKey & { like: EntryKey })[];
    notes: string[];
  };
  entries: { written: number; unchanged: number; skipped: number; older: number };
  links: { written: number; unchanged: number; missing: number };
  /** Entries that were there, and said something else. */
  conflicts: (EntryKey & { status: string; version: number })[];
  /** Left behind, because the service takes no values of that size. */
  too_large: EntryKey[];
};

const MAX_LISTED = 20;

const entryText = ({ entity_path, key }: EntryKey) => clean(`${entity_path} ${key}`);

const FATES: Record<string, string> = {
  written: 'another value was there: a new version',
  skipped: 'another value was there: left alone',
  older: 'what is there was written later: left alone',
};

/** What was found and what became of it, for people. */
export function reportText({
  system,
  dry_run,
  found,
  entries,
  links,
  conflicts,
  too_large,
}: ForeignImportReport): string {
  const verb = dry_run ? 'would write' : 'wrote';
  const lines = [
    `${system}: ${found.entries} entries in ${found.versions} versions, ${found.links} links`,
    `${verb} ${entries.written} versions and ${links.written} links`,
    `the same already: ${entries.unchanged} versions and ${links.unchanged} links`,
    ...(entries.skipped > 0 ? [`left alone because another value was there: ${entries.skipped}`] : []),
    ...(entries.older > 0 ? [`left alone because what is there is newer: ${entries.older}`] : []),
    ...(links.missing > 0 ? [`links left behind because an end is not there: ${links.missing}`] : []),
    ...(found.repeated > 0 ? [`said more than once in the files, taken once: ${found.repeated}`] : []),
    ...found.notes,
    ...listed('too large for the service, left behind', too_large.map(entryText)),
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

/** What names an entry on a branch. */
export type EntryKey = { entity_path: string; key: string };

/** Identifies an entry within a branch. */
export type EntryKey = { entity_path: string; key: string };

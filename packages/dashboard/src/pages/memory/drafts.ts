import { keyMark } from '../../data/key-store.ts';
import type { ShownAddress } from './memory-address.ts';

/** What somebody typed, kept in the tab until it is saved or given up. */
export type FormDraft = {
  path: string;
  name: string;
  text: string;
  form: 'json' | 'text';
  type: string;
  confidence: string;
  isPrivate: boolean;
  /** The version that it began with; 0 for a new entry. */
  base: number;
  /** The value of that version, to compare with. */
  baseText: string;
};

/** Who signs in with another key does not see it. */
const nameOf = (entry: ShownAddress | undefined, branch: string) =>
  `mem.draft ${keyMark()} ${JSON.stringify(entry ? [entry.entity_path, entry.key, branch] : ['new', branch])}`;

export function loadDraft(entry: ShownAddress | undefined, branch: string): FormDraft | undefined {
  try {
    const text = sessionStorage.getItem(nameOf(entry, branch));
    return text === null ? undefined : JSON.parse(text);
  } catch {
    // Storage may be blocked; the draft then lives as long as the form.
    return undefined;
  }
}

export function saveDraft(entry: ShownAddress | undefined, branch: string, draft: FormDraft | undefined): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(nameOf(entry, branch));
    else sessionStorage.setItem(nameOf(entry, branch), JSON.stringify(draft));
  } catch {
    // As above.
  }
}

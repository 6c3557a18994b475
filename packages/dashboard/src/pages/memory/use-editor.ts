import { useMutation } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { client, isMemError, type Request } from '../../data/client.ts';
import { parseExactly } from '../../data/exact-json.ts';
import { findJsonFault } from '../../data/json-fault.ts';
import { problemOf } from '../../data/problem.ts';
import { navigate } from '../../router/router.tsx';
import { memory } from '../../texts/memory.ts';
import { comparable } from '../../ui/diff.tsx';
import { showToast } from '../../ui/toast.tsx';
import { type FormDraft, loadDraft, saveDraft } from './drafts.ts';
import { callOf, newestVersion, type PastVersion, useEntryChanged } from './entry-data.ts';
import { type MemoryAddress, onBranch, type ShownAddress } from './memory-address.ts';
import { GONE } from './use-removal.ts';

const texts = memory.editor;

/** The form as it begins: what was typed before, else the newest version, else empty. */
function firstDraft(address: MemoryAddress, entry: ShownAddress | undefined, newest: PastVersion | undefined) {
  const kept = loadDraft(entry, address.branch);
  if (kept) return { draft: kept, isKept: true };
  const isThere = newest !== undefined && !newest.deleted;
  const draft: FormDraft = {
    path: entry?.entity_path ?? address.listPath,
    name: entry?.key ?? '',
    text: isThere ? comparable(newest.value) : '',
    form: isThere && typeof newest.value !== 'string' ? 'json' : 'text',
    type: newest?.memory_type ?? 'fact',
    confidence: newest ? String(newest.confidence) : '',
    isPrivate: newest ? !newest.shared : false,
    base: isThere ? newest.version : 0,
    baseText: isThere ? comparable(newest.value) : '',
  };
  return { draft, isKept: false };
}

/** What is wrong with the form, by field. */
export function problemsOf({
  path,
  name,
  text,
  form,
  confidence,
}: FormDraft): Partial<Record<keyof FormDraft, string>> {
  const trust = Number(confidence);
  return {
    ...(path.trim() === '' ? { path: texts.pathNeeded } : {}),
    ...(name.trim() === '' ? { name: texts.keyNeeded } : {}),
    ...(text === '' ? { text: texts.valueNeeded } : form === 'json' ? jsonProblem(text) : {}),
    ...(confidence !== '' && !(trust >= 0 && trust <= 1) ? { confidence: texts.confidenceRange } : {}),
  };
}

function jsonProblem(text: string): { text?: string } {
  try {
    JSON.parse(text);
    return {};
  } catch {
    const fault = findJsonFault(text);
    if (!fault) return { text: texts.notJson };
    const { line, column, expected, isText } = fault;
    return { text: texts.jsonFault(line, column, isText ? texts.jsonText : texts.jsonExpected[expected]) };
  }
}

/** A form for a new entry, or for the next version of one. */
export function useEditor(address: MemoryAddress, entry: ShownAddress | undefined, newest: PastVersion | undefined) {
  const { branch } = address;
  const [start] = useState(() => firstDraft(address, entry, newest));
  const [draft, setDraft] = useState(start.draft);
  const [theirs, setTheirs] = useState<PastVersion>();
  const changed = useEntryChanged();
  const change = useCallback(
    (change: Partial<FormDraft>) =>
      setDraft((before) => {
        const next = { ...before, ...change };
        saveDraft(entry, branch, next);
        return next;
      }),
    [entry, branch],
  );
  const where = { entity_path: draft.path.trim(), key: draft.name.trim(), branch };
  const save = useMutation({
    mutationFn: (base: number) => client().call('entries.write', requestOf({ ...draft, base }, branch, newest)),
    onSuccess: async ({ version, unchanged, warnings, entity_path, key }, base) => {
      saveDraft(entry, branch, undefined);
      navigate(address.toEntry(entity_path, key), { replace: true });
      const undo = () => void takeBack({ entity_path, key, branch }, version, base).then(changed, refused);
      const saved = warnings[0]?.message ?? texts.saved(version);
      showToast(unchanged ? texts.unchanged : saved, unchanged ? undefined : undo);
      await changed();
    },
    onError: async (error) => {
      if (isMemError(error, 'version_conflict')) setTheirs(await newestVersion(where).catch(() => undefined));
    },
  });
  const isOvertaken =
    newest !== undefined && (newest.deleted ? draft.base !== 0 : newest.version > draft.base) && entry !== undefined;
  const leave = () => navigate(entry ? address.toEntry(entry.entity_path, entry.key) : address.toList());
  const giveUp = () => {
    saveDraft(entry, branch, undefined);
    const at = location.hash;
    leave();
    showToast(texts.discarded, () => {
      saveDraft(entry, branch, draft);
      navigate(at);
    });
  };
  return {
    draft,
    change,
    isKept: start.isKept,
    isChanged: draft.text !== draft.baseText || entry === undefined,
    theirs,
    isOvertaken,
    compare: (version: PastVersion) => setTheirs(version),
    save: () => save.mutate(draft.base),
    keepMine: () => theirs && save.mutate(theirs.deleted ? 0 : theirs.version),
    error: save.error && !(theirs && isMemError(save.error, 'version_conflict')) ? save.error : undefined,
    isSaving: save.isPending,
    leave,
    giveUp,
  };
}

const refused = (error: unknown) => showToast(memory.entry.refused(problemOf(error).detail));

/** Brings back what was there before a version, unless somebody has written since. */
function takeBack(entry: ShownAddress, version: number, before: number) {
  const input = { ...callOf(entry), if_version: version };
  return before === GONE
    ? client().call('entries.delete', input)
    : client().call('entries.restore', { ...input, version: before });
}

export type Editor = ReturnType<typeof useEditor>;

/** What the form does not show stays as it is. */
function requestOf(
  { path, name, text, form, type, confidence, isPrivate, base }: FormDraft,
  branch: string,
  newest: PastVersion | undefined,
): Request<'entries.write'> {
  const kept = newest && !newest.deleted ? newest : undefined;
  return {
    entity_path: path.trim(),
    key: name.trim(),
    value: form === 'json' ? parseExactly(text) : text,
    memory_type: type as PastVersion['memory_type'],
    ...(confidence === '' ? {} : { confidence: Number(confidence) }),
    shared: !isPrivate,
    ...(kept?.ttl_at ? { ttl_at: kept.ttl_at } : {}),
    ...(kept && kept.artifact_refs.length > 0 ? { artifact_refs: kept.artifact_refs } : {}),
    ...(kept && kept.provenance.pattern_refs.length > 0 ? { pattern_refs: kept.provenance.pattern_refs } : {}),
    if_version: base,
    ...onBranch(branch),
  };
}

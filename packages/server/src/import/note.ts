export type NoteObservation = { category?: string; content: string; tags?: string[]; context?: string };
export type NoteRelation = { relation: string; target: string };

const ITEM = /^\s*[-*+]\s+(.*)$/;
/** A clock time or a task mark is not a category. */
const NO_CATEGORY = /^(?:\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?|[xX]|[^\p{L}\p{N}])$/u;

/** `- [category] content #tag (context)`, or any item with a tag. */
function observationOf(item: string): NoteObservation | undefined {
  if (/^\[.*?\]\(.*?\)$/.test(item) || /^\[\[.*?\]\]$/.test(item) || /^\[[ x-]\]/.test(item)) return undefined;
  const bracketed = /^\[([^[\]()]+)\]\s+(.+)$/.exec(item);
  const category = bracketed && !NO_CATEGORY.test((bracketed[1] as string).trim()) ? bracketed[1]?.trim() : undefined;
  const observed = category === undefined ? item : (bracketed?.[2] as string);
  const context = /^(.*)\(([^()]*)\)$/.exec(observed.trim());
  const content = (context?.[1] ?? observed).trim();
  const tags = content
    .split(/\s+/)
    .filter((word) => word.startsWith('#'))
    .flatMap((word) => word.split('#').filter(Boolean));
  if (category === undefined && tags.length === 0) return undefined;
  return {
    ...(category === undefined ? {} : { category }),
    content,
    ...(tags.length > 0 ? { tags } : {}),
    ...(context ? { context: (context[2] as string).trim() } : {}),
  };
}

/** `- relation [[Target]] (context)` with a relation of one word or in quotes; any other link is `links_to`. */
function relationsOf(line: string): NoteRelation[] {
  const item = ITEM.exec(line)?.[1];
  const stated =
    item === undefined ? undefined : /^(?:"([^"]+)"|'([^']+)'|(\S+))\s+\[\[([^[\]]+)\]\]\s*(?:\([^()]*\))?$/.exec(item);
  if (stated)
    return [{ relation: (stated[1] ?? stated[2] ?? stated[3]) as string, target: targetOf(stated[4] as string) }];
  return [...line.matchAll(/\[\[([^[\]]+)\]\]/g)].map(([, name]) => ({
    relation: 'links_to',
    target: targetOf(name as string),
  }));
}

/** `[[Name|shown as]]` links to Name. */
const targetOf = (name: string) => (name.split('|')[0] as string).trim();

/** The observations and relations in a note. Code blocks are ignored. */
export function readNote(body: string): { observations: NoteObservation[]; relations: NoteRelation[] } {
  const observations: NoteObservation[] = [];
  const relations: NoteRelation[] = [];
  let isCode = false;
  for (const line of body.split(/\r?\n/)) {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    if (isCode) continue;
    const linked = relationsOf(line);
    relations.push(...linked);
    const item = ITEM.exec(line)?.[1]?.trim();
    const observation = item === undefined || linked.length > 0 ? undefined : observationOf(item);
    if (observation) observations.push(observation);
  }
  return { observations, relations };
}

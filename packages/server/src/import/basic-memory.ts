import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { statedConfidence } from './confidence.ts';
import { filesAt, isFolder, NotUtf8Error, partsBelow, readText } from './files.ts';
import type { ForeignData, ForeignEntry, ForeignLink, ForeignReader } from './foreign.ts';
import { type Frontmatter, readFrontmatter } from './frontmatter.ts';
import { withoutEmpty } from './json-objects.ts';
import { nodeOf, toEntity, toKey, toLabel, toPath, toRelation } from './names.ts';
import { type NoteRelation, readNote } from './note.ts';
import { toTime } from './times.ts';

const AGENT = 'basic-memory';
const KNOWN = ['title', 'type', 'tags', 'permalink', 'created', 'modified'];

type MarkdownNote = { entry: ForeignEntry; names: string[]; relations: NoteRelation[] };

/** Reads a project folder of Markdown notes with frontmatter, observations and relations. */
export const readBasicMemory: ForeignReader = async (path, into) => {
  const base = (await isFolder(path)) ? path : undefined;
  const notes: MarkdownNote[] = [];
  const leftOut: string[] = [];
  for (const file of await filesAt(path, ['.md'])) {
    try {
      notes.push(await noteOf(file, base, into));
    } catch (error) {
      if (base === undefined || !(error instanceof NotUtf8Error)) throw error;
      leftOut.push(`${error.message}: left out`);
    }
  }
  const found: ForeignData = { entries: notes.map(({ entry }) => entry), links: [], notes: leftOut };
  const byName = new Map(notes.flatMap(({ entry, names }) => names.map((name) => [name.toLowerCase(), entry])));
  found.links = notes.flatMap(({ entry, relations }) => relations.map((relation) => linkOf(entry, relation, byName)));
  return found;
};

const oneOf = (value: string | string[] | undefined): string | undefined =>
  (Array.isArray(value) ? value[0] : value) || undefined;

/** A list, or names separated by commas. */
const tagsOf = (value: string | string[] | undefined): string[] =>
  (Array.isArray(value) ? value : (value ?? '').split(',')).map((tag) => tag.trim().replace(/^#/, '')).filter(Boolean);

async function noteOf(file: string, base: string | undefined, into: string): Promise<MarkdownNote> {
  const { members, body } = readFrontmatter(await readText(file));
  const parts = base === undefined ? [basename(file)] : partsBelow(base, file);
  const stem = (parts.pop() as string).replace(/\.md$/i, '');
  const permalink = oneOf(members.permalink);
  const place = permalink?.split('/').filter(Boolean) ?? [...parts, stem];
  const title = oneOf(members.title) ?? stem;
  const tags = tagsOf(members.tags);
  const { observations, relations } = readNote(body);
  const confidence = statedConfidence(oneOf(members.confidence));
  const entry: ForeignEntry = {
    entity_path: toPath(into, ...place.slice(0, -1)),
    key: toKey(place.at(-1) ?? stem),
    value: {
      title,
      ...withoutEmpty({ type: members.type, content: body.trim(), observations, metadata: restOf(members) }),
    },
    agent_id: AGENT,
    written_at: toTime(oneOf(members.modified)) ?? toTime(oneOf(members.created)) ?? (await changedAt(file)),
    source_id: toLabel([...parts, stem].join('/'), stem),
    ...(confidence === undefined ? {} : { confidence }),
    ...(tags.length > 0 ? { pattern_refs: [...new Set(tags.map((tag) => toLabel(tag, 'tag')))].slice(0, 100) } : {}),
  };
  return { entry, names: [title, stem, [...parts, stem].join('/'), ...(permalink ? [permalink] : [])], relations };
}

const changedAt = async (file: string) => toTime(Math.floor((await stat(file)).mtimeMs));

const restOf = (members: Frontmatter) =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !KNOWN.includes(name)));

function linkOf(
  entry: ForeignEntry,
  { relation, target }: NoteRelation,
  byName: ReadonlyMap<string, ForeignEntry>,
): ForeignLink {
  const known = byName.get(target.toLowerCase());
  return {
    source: nodeOf(entry),
    source_type: 'entry',
    relation: toRelation(relation),
    target: known ? nodeOf(known) : toEntity(target),
    target_type: known ? 'entry' : 'entity',
    agent_id: AGENT,
  };
}

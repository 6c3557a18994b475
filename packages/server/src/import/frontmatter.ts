export type Frontmatter = Record<string, string | string[]>;

const unquoted = (text: string): string => {
  const quoted = /^(["'])(.*)\1$/.exec(text.trim());
  return quoted ? (quoted[2] as string).replaceAll(quoted[1] === "'" ? "''" : '\\"', quoted[1] as string) : text.trim();
};

/**
 * Reads `a: b`, `a: [b, c]` and `a:` followed by a list, the forms used in notes. Deeper structures are kept as text.
 */
export function readFrontmatter(note: string): { members: Frontmatter; body: string } {
  const found = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(note);
  if (!found) return { members: {}, body: note };
  const members: Frontmatter = {};
  let open: string | undefined;
  for (const line of (found[1] as string).split(/\r?\n/)) {
    const member = /^([^\s:#-][^:]*):(?:\s+(.*))?$/.exec(line);
    if (member) {
      open = (member[1] as string).trim();
      members[open] = scalarOrList((member[2] ?? '').trim());
    } else if (open !== undefined && line.trim() !== '') members[open] = extended(members[open] ?? '', line);
  }
  return { members, body: note.slice(found[0].length) };
}

function scalarOrList(text: string): string | string[] {
  const list = /^\[(.*)\]$/.exec(text)?.[1];
  if (list === undefined) return unquoted(text);
  return list
    .split(',')
    .map(unquoted)
    .filter((item) => item !== '');
}

function extended(before: string | string[], line: string): string | string[] {
  const item = /^\s*-\s+(.*)$/.exec(line)?.[1];
  if (item !== undefined && (Array.isArray(before) || before === ''))
    return [...(Array.isArray(before) ? before : []), unquoted(item)];
  return Array.isArray(before) ? [...before, line.trim()] : `${before}\n${line}`.trim();
}

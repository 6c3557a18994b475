export type Glob =
  | { kind: 'all' }
  | { kind: 'exact'; path: string }
  | { kind: 'children'; base: string }
  | { kind: 'below'; base: string };

const MAX_PATH_LENGTH = 512;
const MAX_KEY_LENGTH = 256;
/** PostgreSQL allows 2,704 bytes for all columns of an index row; path and key together stay well below that. */
const MAX_BYTES_PER_CHARACTER = 3;
const SLASH = 0x2f;
const STAR = 0x2a;

/**
 * The glob syntax of scopes, filters and streams: `a/b` is that path, `a/*` its direct children, `a/**` everything
 * below it but not `a` itself, `*` and `**` everything. A star anywhere else is refused, so that `a*` is not mistaken
 * for a prefix.
 */
export function parseGlob(text: string): Glob | undefined {
  if (text === '*' || text === '**') return { kind: 'all' };
  const kind = text.endsWith('/**') ? 'below' : text.endsWith('/*') ? 'children' : 'exact';
  const path = kind === 'exact' ? text : text.slice(0, text.lastIndexOf('/'));
  if (entityPathProblem(path)) return undefined;
  return kind === 'exact' ? { kind, path } : { kind, base: path };
}

export type PathFilter = { entity_path?: string | undefined; include_descendants?: boolean | undefined };

/** The globs of a filter, in the order of paths: a path, and what is below it where that is asked for. */
export function globsOf({ entity_path, include_descendants }: PathFilter): Glob[] | undefined {
  const glob = entity_path === undefined ? undefined : parseGlob(entity_path);
  if (!glob) return undefined;
  return glob.kind === 'exact' && include_descendants ? [glob, { kind: 'below', base: glob.path }] : [glob];
}

export function matchesGlob(glob: Glob, path: string): boolean {
  switch (glob.kind) {
    case 'all':
      return true;
    case 'exact':
      return path === glob.path;
    case 'children':
      return isBelow(path, glob.base) && path.indexOf('/', glob.base.length + 1) < 0;
    case 'below':
      return isBelow(path, glob.base);
  }
}

function isBelow(path: string, base: string): boolean {
  return path.length > base.length + 1 && path.charCodeAt(base.length) === SLASH && path.startsWith(base);
}

/** The paths below the base are `from <= path < to` in byte order: '0' is the character after '/'. */
export function globRange(glob: Glob): { from: string; to: string } | undefined {
  if (glob.kind === 'all' || glob.kind === 'exact') return undefined;
  return { from: `${glob.base}/`, to: `${glob.base}0` };
}

/** `/a/b/` is meant as `a/b`. A star that would then stand alone keeps its slash, and is refused: it means everything. */
export function trimSlashes(text: string): string {
  let start = 0;
  let end = text.length;
  while (text.charCodeAt(start) === SLASH) start++;
  while (end > start && text.charCodeAt(end - 1) === SLASH) end--;
  return end - start === text.length || text.charCodeAt(start) === STAR ? text : text.slice(start, end);
}

/** Describes what is wrong with an entity path (in NFC); undefined for a valid one. */
export function entityPathProblem(text: string): string | undefined {
  return textProblem(text, MAX_PATH_LENGTH) ?? segmentProblem(text);
}

/** Describes what is wrong with a key (in NFC); undefined for a valid one. */
export function keyProblem(text: string): string | undefined {
  return textProblem(text, MAX_KEY_LENGTH) ?? (text === '.' || text === '..' ? `must not be ${text}` : undefined);
}

function segmentProblem(path: string): string | undefined {
  // No filter or scope could name a path with a star.
  if (path.includes('*')) return 'must not hold a *';
  let start = 0;
  while (start <= path.length) {
    const slash = path.indexOf('/', start);
    const end = slash < 0 ? path.length : slash;
    if (end === start) return 'must not hold empty segments';
    // No reserved segment is longer than two characters.
    const segment = end - start <= 2 ? path.slice(start, end) : '';
    if (segment === '.' || segment === '..') return `must not hold the segment ${segment}`;
    start = end + 1;
  }
  return undefined;
}

function textProblem(text: string, maxLength: number): string | undefined {
  if (text === '') return 'must not be empty';
  let pairs = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return 'must not hold control characters';
    if (code >= 0xd800 && code <= 0xdfff) {
      if (code > 0xdbff || !isLowSurrogate(text.charCodeAt(at + 1))) return 'must be well-formed Unicode';
      pairs++;
      at++;
    }
  }
  if (text.length - pairs > maxLength) return `must not be longer than ${maxLength} characters`;
  const maxBytes = maxLength * MAX_BYTES_PER_CHARACTER;
  return utf8Length(text) > maxBytes ? `must not be longer than ${maxBytes} bytes` : undefined;
}

/** The length in characters (code points): a surrogate pair is one. */
function charLength(text: string): number {
  let length = text.length;
  for (let at = 1; at < text.length; at++)
    if (isLowSurrogate(text.charCodeAt(at)) && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) length--;
  return length;
}

/** Whether it has at most that many characters. A text that is far longer is not counted. */
export const isWithinChars = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && charLength(text) <= max);

/** The length of well-formed text in UTF-8 bytes. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // A surrogate pair is two code units and four bytes.
    if (code >= 0x80) bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

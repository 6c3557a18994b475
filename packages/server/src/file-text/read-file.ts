import { type FoundSecret, findSecretsInSteps } from '../modules/traces/rules/redact-find.ts';
import { secretPatterns } from '../modules/traces/rules/redact-patterns.ts';
import { inTurns } from '../turns.ts';
import { FileRefused } from './file-refused.ts';
import { type FileFormat, formatOfName, requireFormat } from './format.ts';
import { FILE_LIMITS, type FileLimits } from './limits.ts';
import { cleanPages, decodeText, pagesOf } from './pages.ts';
import { readPacked } from './reader-process.ts';
import { ReadingTurns } from './reading-turns.ts';

export type ReadFileOptions = { account_id: string; limits?: Partial<FileLimits>; signal?: AbortSignal };
/** The text of a file by pages; the first page has number 1. */
export type FileText = { format: FileFormat; pages: string[] };

const turns = new ReadingTurns();

/** Reads the text of a file. Throws `FileRefused` with the reason where it cannot be read, and `ReaderBusy`. */
export async function readFileText(
  name: string,
  bytes: Uint8Array,
  { account_id, limits: given, signal }: ReadFileOptions,
): Promise<FileText> {
  const limits = { ...FILE_LIMITS, ...given };
  const format = checkFile(name, bytes, limits);
  const found =
    format === 'pdf' || format === 'docx'
      ? await turns.run(account_id, () => readPacked(format, bytes, { limits, signal }))
      : pagesOf(decodeText(bytes), limits.pages);
  const pages = await inTurns(cleanPages(found));
  requireText(pages, limits);
  await inTurns(refuseCredentials(pages));
  return { format, pages };
}

/** What can be checked before the content is read. Returns the format. */
export function checkFile(name: string, bytes: Uint8Array, limits: FileLimits = FILE_LIMITS): FileFormat {
  const format = formatOfName(name);
  if (bytes.length === 0) throw new FileRefused('empty', 'the file is empty');
  if (bytes.length > limits.file_bytes)
    throw new FileRefused('too_large', `the file is larger than ${limits.file_bytes} bytes`);
  requireFormat(format, bytes);
  return format;
}

function requireText(pages: readonly string[], limits: FileLimits): void {
  if (pages.length > limits.pages)
    throw new FileRefused('too_many_pages', `the file has more than ${limits.pages} pages`);
  if (pages.reduce((sum, page) => sum + page.length, 0) > limits.chars)
    throw new FileRefused('too_much_text', `the text is longer than ${limits.chars} characters`);
  if (pages.every((page) => page.trim() === ''))
    throw new FileRefused('no_text', 'the file has no text; pictures of pages are not read');
}

/** A page is searched in parts of so many characters, */
const SEARCHED_CHARS = 16 * 1024;
/** with so many before and after them, to see what lies across their ends. */
const AROUND_CHARS = 4096;

/** What everybody in a room reads must not hold credentials. The rules are those of traces. */
function* refuseCredentials(pages: readonly string[]): Generator<void, void> {
  for (const [at, page] of pages.entries())
    for (let from = 0; from < page.length; from += SEARCHED_CHARS) {
      const first = yield* findSecretIn(page, from);
      if (first)
        throw new FileRefused(
          'credentials',
          `page ${at + 1} seems to hold credentials (${secretPatterns[first.rank]?.kind})`,
        );
    }
}

/** The first that begins in a part of a page, or goes on there. */
function* findSecretIn(page: string, from: number): Generator<void, FoundSecret | undefined> {
  const before = Math.max(0, from - AROUND_CHARS);
  const around = page.slice(before, from + SEARCHED_CHARS + AROUND_CHARS);
  const found = yield* findSecretsInSteps(around);
  return found.find(({ start, end }) => before + end > from && before + start < from + SEARCHED_CHARS);
}

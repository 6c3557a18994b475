/** Longer than any record that a service takes, and short enough to be kept in memory. */
export const MAX_LINE_CHARS = 64 * 1024 * 1024;

/**
 * The lines of a text in UTF-8, without their ends. No more than one line and one chunk are in memory, and a line that
 * is too long is refused before all of it is read.
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  maxChars: number = MAX_LINE_CHARS,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let parts: string[] = [];
  let chars = 0;
  let no = 1;
  const keep = (part: string) => {
    chars += part.length;
    if (chars > maxChars) throw new Error(`line ${no} is longer than ${maxChars} characters`);
    parts.push(part);
  };
  const take = () => {
    const line = parts.join('').replace(/\r$/, '');
    parts = [];
    chars = 0;
    no++;
    return line;
  };
  for await (const chunk of chunks) {
    const [first = '', ...others] = decoded(
      () => decoder.decode(chunk, { stream: true }),
      () => no + badLineIn(chunk),
    ).split('\n');
    keep(first);
    for (const other of others) {
      yield take();
      keep(other);
    }
  }
  keep(
    decoded(
      () => decoder.decode(),
      () => no,
    ),
  );
  if (chars > 0) yield take();
}

function decoded(decode: () => string, lineNo: () => number): string {
  try {
    return decode();
  } catch {
    throw new Error(`line ${lineNo()} is not valid UTF-8`);
  }
}

const NEWLINE = 10;
/** The following bytes of a character, of which a chunk may begin with some. */
const isContinuation = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x80 && byte < 0xc0;

/** How many lines of a chunk come before the first that cannot be decoded. */
function badLineIn(chunk: Uint8Array): number {
  let from = 0;
  while (from < 3 && isContinuation(chunk[from])) from++;
  for (let lines = 0; ; lines++) {
    const end = chunk.indexOf(NEWLINE, from);
    const isLast = end === -1;
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(chunk.subarray(from, isLast ? chunk.length : end));
    } catch {
      return lines;
    }
    if (isLast) return lines;
    from = end + 1;
  }
}

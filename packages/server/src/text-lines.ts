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
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    keep(first);
    for (const other of others) {
      yield take();
      keep(other);
    }
  }
  keep(decoder.decode());
  if (chars > 0) yield take();
}

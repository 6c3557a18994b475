import { describe, expect, it } from 'vitest';
import { linesOf } from './import-file.ts';

async function linesIn(...pieces: string[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(new Blob(pieces))) lines.push(line);
  return lines;
}

/** A file of the given size without an end of a line. */
function streamOf(bytes: number): Blob {
  const piece = new Uint8Array(1_000_000).fill(120);
  return {
    stream: () => new Response(new Blob(Array.from({ length: bytes / piece.length }, () => piece))).body,
  } as Blob;
}

describe('the lines of a file', () => {
  it('are found across its pieces, with either end', async () => {
    const long = 'x'.repeat(200_000);
    expect(await linesIn(`a\r\n${long}\nb\n\n`, 'c', 'd\n', 'ü')).toEqual(['a', long, 'b', '', 'cd', 'ü']);
    expect(await linesIn('')).toEqual(['']);
  });

  it('end where one is longer than any of an export', async () => {
    const reading = (async () => {
      for await (const line of linesOf(streamOf(70_000_000))) void line;
    })();
    await expect(reading).rejects.toThrow('longer than any');
  });
});

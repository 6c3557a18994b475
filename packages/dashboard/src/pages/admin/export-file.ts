import { client } from '../../data/client.ts';

export type DownloadProgress = { lines: number; total: number; bytes: number };

const PIECE_BYTES = 1_000_000;
const REPORT_MS = 100;

type HeaderLine = { counts: Record<string, number> };

/** How many lines a file has by its header, with that line itself; undefined where the line is none. */
export function linesByHeader(line: string): number | undefined {
  try {
    const { record, counts } = JSON.parse(line) as HeaderLine & { record: string };
    if (record !== 'header' || typeof counts !== 'object') return undefined;
    return Object.values(counts).reduce((sum, n) => sum + n, 1);
  } catch {
    return undefined;
  }
}

/**
 * Reads the whole export. Its pieces become blobs as they come, which the browser may keep on disk, so that a large account
 * does not have to fit into the memory of the tab.
 */
export async function readExport(
  signal: AbortSignal,
  onProgress: (progress: DownloadProgress) => void,
): Promise<{ file: Blob } & DownloadProgress> {
  const pieces: Blob[] = [];
  const progress: DownloadProgress = { lines: 0, total: 0, bytes: 0 };
  let waiting: string[] = [];
  let size = 0;
  let reportedAt = 0;
  const close = () => {
    const piece = new Blob(waiting);
    pieces.push(piece);
    progress.bytes += piece.size;
    waiting = [];
    size = 0;
  };
  for await (const line of client().linesText('transfer.export', {}, { signal })) {
    if (progress.lines === 0) progress.total = linesByHeader(line) ?? 0;
    progress.lines++;
    waiting.push(line, '\n');
    size += line.length + 1;
    if (size > PIECE_BYTES) close();
    if (performance.now() - reportedAt > REPORT_MS) {
      reportedAt = performance.now();
      onProgress({ ...progress });
    }
  }
  close();
  return { file: new Blob(pieces, { type: 'application/x-ndjson' }), ...progress };
}

/** Hands a file to the browser, which puts it where downloads go. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has to begin first.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

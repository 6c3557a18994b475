import { client, type Output } from '../../data/client.ts';
import { transferTexts } from '../../texts/transfer.ts';
import { linesByHeader } from './export-file.ts';

export type ImportProgress = { lines: number; total: number | undefined; isFinishing: boolean };

/** Well below what a server takes in one request. */
const BATCH_BYTES = 2_000_000;
const BATCH_LINES = 2_000;
/** No line of an export is as long. */
const MOST_LINE = 64_000_000;

type ImportOptions = { isCheck: boolean; signal: AbortSignal; onProgress: (progress: ImportProgress) => void };

/** Hands a file over in pieces, each checked by the service, and then puts all of it into the account at once. */
export async function importFile(
  file: Blob,
  { isCheck, signal, onProgress }: ImportOptions,
): Promise<{ lines: number; finished: Output<'transfer.finish'> | undefined }> {
  const progress: ImportProgress = { lines: 0, total: undefined, isFinishing: false };
  for await (const lines of batchesOf(file)) {
    if (progress.lines === 0) {
      progress.total = linesByHeader(lines[0] ?? '');
      if (progress.total === undefined) throw new Error(transferTexts.import.noHeader);
    }
    await client().call('transfer.add', { from: progress.lines, lines, dry_run: isCheck }, { signal });
    progress.lines += lines.length;
    onProgress({ ...progress });
  }
  if (progress.lines === 0) throw new Error(transferTexts.import.noHeader);
  if (isCheck) return { lines: progress.lines, finished: undefined };
  onProgress({ ...progress, isFinishing: true });
  return { lines: progress.lines, finished: await client().call('transfer.finish', {}, { signal }) };
}

/** The lines of a file, some at a time; the file is never in memory as a whole. */
async function* batchesOf(file: Blob): AsyncGenerator<string[]> {
  let batch: string[] = [];
  let size = 0;
  for await (const line of linesOf(file)) {
    if (line === '') continue;
    if (batch.length === BATCH_LINES || (batch.length > 0 && size + line.length > BATCH_BYTES)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(line);
    size += line.length;
  }
  if (batch.length > 0) yield batch;
}

/** Each piece of the file is looked at once: a file without ends of lines must not hold the page, nor fill its memory. */
export async function* linesOf(file: Blob): AsyncGenerator<string> {
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
  let begun: string[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const [first = '', ...others] = value.split('\n');
    begun.push(first);
    size += first.length;
    if (size > MOST_LINE) throw new Error(transferTexts.import.lineTooLong);
    const last = others.pop();
    if (last === undefined) continue;
    yield withoutReturn(begun.join(''));
    yield* others.map(withoutReturn);
    begun = [last];
    size = last.length;
  }
  yield withoutReturn(begun.join(''));
}

const withoutReturn = (line: string) => line.replace(/\r$/, '');

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { FileRefused, REFUSAL_REASONS, type RefusalReason } from './file-refused.ts';
import type { FileLimits } from './limits.ts';

const PROGRAM = new URL('./reader.process.mjs', import.meta.url);

/** A process watches its own time. This is for one that cannot. */
const KILLED_AFTER = 2;
/** JSON takes up to six bytes for a character. */
const MAX_BYTES_PER_CHAR = 6;
const MAX_ERROR_CHARS = 4096;

type PagesAnswer = { pages: string[] } | { reason: RefusalReason; message: string };
type EndOfReader = { answer: string; error: string; isKilled: boolean; endedBy: NodeJS.Signals | null };

/** What a whole group of processes gets when the service is to end. It says nothing of the file. */
const ENDS_SERVICE: ReadonlySet<NodeJS.Signals | null> = new Set(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']);

/** The pages of a packed file, read by a process that ends with it. */
export async function readPacked(
  format: 'pdf' | 'docx',
  bytes: Uint8Array,
  { limits, signal }: { limits: FileLimits; signal?: AbortSignal | undefined },
): Promise<string[]> {
  const reader = spawn(
    process.execPath,
    [
      `--max-old-space-size=${limits.heap_mb}`,
      '--max-semi-space-size=8',
      '--disallow-code-generation-from-strings',
      fileURLToPath(PROGRAM),
      ...[format, JSON.stringify(limits)],
    ],
    // Nothing of this process's environment.
    { env: {}, stdio: 'pipe', windowsHide: true, killSignal: 'SIGKILL', signal },
  );
  const end = endOf(reader, limits);
  reader.stdin?.on('error', () => undefined);
  reader.stdin?.end(bytes);
  return pagesIn(await end, limits);
}

function endOf(reader: ChildProcess, limits: FileLimits): Promise<EndOfReader> {
  const chunks: Buffer[] = [];
  const most = limits.chars * MAX_BYTES_PER_CHAR + MAX_ERROR_CHARS;
  let answerBytes = 0;
  let error = '';
  let isKilled = false;
  const kill = () => {
    isKilled = true;
    reader.kill('SIGKILL');
  };
  const timer = setTimeout(kill, limits.time_ms * KILLED_AFTER);
  reader.stdout?.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    answerBytes += chunk.length;
    if (answerBytes > most) kill();
  });
  reader.stderr?.on('data', (chunk: Buffer) => {
    if (error.length < MAX_ERROR_CHARS) error += String(chunk);
  });
  return new Promise((resolve, reject) => {
    reader.on('error', reject);
    reader.on('close', (_, endedBy) => resolve({ answer: Buffer.concat(chunks).toString(), error, isKilled, endedBy }));
  }).finally(() => clearTimeout(timer)) as Promise<EndOfReader>;
}

function pagesIn({ answer, error, isKilled, endedBy }: EndOfReader, limits: FileLimits): string[] {
  const result = isKilled ? undefined : parse(answer);
  if (result && 'pages' in result) return result.pages;
  if (result && REFUSAL_REASONS.includes(result.reason)) throw new FileRefused(result.reason, result.message);
  if (isKilled || error.endsWith('too_slow'))
    throw new FileRefused('too_slow', `reading the file takes more than ${limits.time_ms / 1000} s`);
  if (ENDS_SERVICE.has(endedBy)) throw new Error(`the process that read a file was ended by ${endedBy}`);
  // The system kills without a word where memory runs out.
  if (error.endsWith('too_much_memory') || error.includes('out of memory') || endedBy === 'SIGKILL')
    throw new FileRefused('too_much_memory', 'reading the file takes too much memory');
  throw new FileRefused('broken', 'the file cannot be read');
}

function parse(answer: string): PagesAnswer | undefined {
  try {
    return JSON.parse(answer) as PagesAnswer;
  } catch {
    return undefined;
  }
}

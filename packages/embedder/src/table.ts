import { createHash, webcrypto } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Stored beside vectors, so that those of another table are recognised. */
export const EMBEDDER_NAME = 'mem-static-256';
export const EMBEDDER_DIMENSIONS = 256;

const FILES = ['embedder.json', 'embedder.vocab', 'embedder.bin'] as const;
const FORMAT = 1;

/** The vector of token t is `scales[t]` times the t-th row. */
export type VectorTable = { tokens: number; vocabulary: Uint8Array; scales: Float32Array; rows: Int8Array };

type TableDescription = {
  format: number;
  name: string;
  vocab_size: number;
  dims: number;
  sha256: Record<string, string>;
};
type TableFiles = readonly [description: Uint8Array, vocabulary: Uint8Array, vectors: Uint8Array];

/** Beside a bundle that contains this file, or beside the folder of the sources or of the bundle of this package. */
const ownFolder = (): string =>
  ['./table/', '../table/']
    .map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
    .find((folder, at) => at === 1 || existsSync(folder)) as string;

export function readTable(folder = ownFolder()): VectorTable {
  const files = FILES.map((name) => readFileSync(join(folder, name))) as unknown as TableFiles;
  const description = describe(files);
  check(description, [sha256(files[1]), sha256(files[2])]);
  return tableOf(description, files);
}

/** The same, with reading and hashing off this thread. */
export async function readTableInBackground(folder = ownFolder()): Promise<VectorTable> {
  const files = (await Promise.all(FILES.map((name) => readFile(join(folder, name))))) as unknown as TableFiles;
  const description = describe(files);
  check(description, [await sha256InBackground(files[1]), await sha256InBackground(files[2])]);
  return tableOf(description, files);
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function sha256InBackground(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
}

function describe([description]: TableFiles): TableDescription {
  const given = JSON.parse(Buffer.from(description).toString()) as TableDescription;
  if (given.format !== FORMAT || given.name !== EMBEDDER_NAME || given.dims !== EMBEDDER_DIMENSIONS)
    throw new Error(`embedder.json describes ${given.name} in format ${given.format}, not ${EMBEDDER_NAME}`);
  return given;
}

function check({ sha256: expected }: TableDescription, [vocabulary, vectors]: readonly [string, string]): void {
  for (const [file, found] of [
    ['embedder.vocab', vocabulary],
    ['embedder.bin', vectors],
  ] as const)
    if (expected[file] !== found)
      throw new Error(`${file} is damaged: its SHA-256 is not the one in embedder.json. Install the package again`);
}

function tableOf({ vocab_size, dims }: TableDescription, [, vocabulary, vectors]: TableFiles): VectorTable {
  const scaleBytes = 4 * vocab_size;
  if (vectors.length !== scaleBytes + vocab_size * dims)
    throw new Error('embedder.bin has another size than it should');
  // A view of four-byte numbers must begin at a multiple of four.
  const bytes = vectors.byteOffset % 4 === 0 ? vectors : new Uint8Array(vectors);
  return {
    tokens: vocab_size,
    vocabulary,
    scales: new Float32Array(bytes.buffer, bytes.byteOffset, vocab_size),
    rows: new Int8Array(bytes.buffer, bytes.byteOffset + scaleBytes, vocab_size * dims),
  };
}

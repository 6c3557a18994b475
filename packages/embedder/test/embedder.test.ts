import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Embedder, loadEmbedder } from '../src/index.ts';
import { FUNCTION_WORDS } from '../src/words.ts';

/** What the encoder that the table was trained with makes of some texts; `question` with the weights below. */
type Reference = { text: string; tokens: number[]; vector?: string; question?: string; short?: string };
const reference = readFileSync(join(import.meta.dirname, 'fixtures', 'reference.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Reference);

const table = join(import.meta.dirname, '..', 'table');
const embedder = loadEmbedder();

const floats = (base64: string): Float32Array =>
  new Float32Array(Uint8Array.from(Buffer.from(base64, 'base64')).buffer);
const furthest = (a: Float32Array, b: Float32Array): number =>
  a.reduce((most, value, at) => Math.max(most, Math.abs(value - (b[at] as number))), 0);
const words = (text: string, by: Embedder = embedder): string[] => by.tokensOf(text).map((token) => by.wordOf(token));

describe('the same as the encoder of the training', () => {
  it('in the tokens of some hundred texts', () => {
    expect(reference.length).toBeGreaterThan(200);
    for (const { text, tokens } of reference)
      expect({ text, tokens: embedder.tokensOf(text) }).toEqual({ text, tokens });
  });

  it('in their vectors', () => {
    const vectors = reference.flatMap(({ text, vector }) => (vector ? [{ text, vector: floats(vector) }] : []));
    expect(vectors.length).toBeGreaterThan(60);
    for (const { text, vector } of vectors) {
      const found = embedder.encode(text);
      expect({ text, size: found.length, close: furthest(found, vector) < 1e-6 }).toEqual({
        text,
        size: 256,
        close: true,
      });
    }
  });

  it('in the vectors of weighted questions, and of fewer dimensions', () => {
    const small = loadEmbedder({ dimensions: 64 });
    for (const { text, question, short } of reference) {
      const weighted = question && embedder.encodeQuestion(text, (token) => 1 + (token % 7) / 2);
      if (weighted) expect(furthest(weighted, floats(question))).toBeLessThan(1e-6);
      if (short) expect(furthest(small.encode(text), floats(short))).toBeLessThan(1e-6);
    }
  });
});

describe('tokens', () => {
  it('of identifiers are their parts, unless the whole is known', () => {
    expect(words('getUserById parse_http_response JavaScript')).toEqual([
      'get',
      'user',
      'id',
      'parse',
      'http',
      'response',
      'javascript',
    ]);
    expect(words('XMLHttpRequestFactory')).toEqual(['xml', 'http', 'request', 'factory']);
  });

  it('of numbers are those that are known, or stand for any number', () => {
    expect(words('2024 8675309')).toEqual(['2024', '<num>']);
  });

  it('of unknown words are a known form, or pieces', () => {
    expect(words('deduplicator')).toEqual(['deduplicate']);
    const pieces = words('zzqqx');
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.slice(1).every((piece) => piece.startsWith('##'))).toBe(true);
  });

  it('are function words only where a text has nothing else', () => {
    expect(words('it is the deploy')).toEqual(['deploy']);
    expect(words('it is')).toEqual(['it', 'is']);
    expect(FUNCTION_WORDS.length).toBe(new Set(FUNCTION_WORDS).size);
  });

  it('have no accents and no short forms', () => {
    expect(words('Déjà vu')).toEqual(words('deja vu'));
    expect(words('it doesn’t start')).toEqual(['not', 'start']);
  });

  it('have no token beyond the vocabulary', () => {
    expect(() => embedder.wordOf(60_501)).toThrow(RangeError);
    expect(() => embedder.wordOf(-1)).toThrow(RangeError);
  });
});

describe('vectors', () => {
  it('have unit length, or are zero where nothing is known', () => {
    const length = (text: string) => Math.hypot(...embedder.encode(text));
    expect(length('The migration locked the orders table')).toBeCloseTo(1, 6);
    for (const nothing of ['', ' \n', '…', '日本']) expect(length(nothing)).toBe(0);
  });

  it('of many texts are those of each', () => {
    const texts = reference.slice(0, 20).map(({ text }) => text);
    const many = embedder.encodeMany(texts);
    expect(many.length).toBe(20 * 256);
    texts.forEach((text, at) => {
      expect(many.subarray(256 * at, 256 * (at + 1))).toEqual(embedder.encode(text));
    });
    expect(embedder.encodeMany([]).length).toBe(0);
  });

  it('of a question may take weights from the embedder itself', () => {
    const plain = embedder.encode('rollback procedure');
    const weighted = embedder.encodeQuestion(
      'rollback procedure',
      (token) => embedder.encode(embedder.wordOf(token)).length,
    );
    expect(furthest(weighted, plain)).toBeLessThan(1e-6);
    expect(embedder.encodeQuestion('rollback', () => 0).every((value) => value === 0)).toBe(true);
  });

  it('are coarser than a comparison word by word', () => {
    const closeness = embedder.wordMatcher('undo a release', () => 1);
    expect(closeness('a release that was undone: undo')).toBeCloseTo(1, 6);
    expect(closeness('revert the deployment')).toBeGreaterThan(2 * closeness('lunch menu'));
    expect([closeness(''), embedder.wordMatcher('', () => 1)('x'), embedder.wordMatcher('x', () => 0)('x')]).toEqual([
      0, 0, 0,
    ]);
  });

  it('of very long texts and runs without an end take time in proportion', () => {
    const half = 'deploy failed '.repeat(10_000);
    expect(furthest(embedder.encode(half + half), embedder.encode('deploy failed'))).toBeLessThan(1e-6);
    for (const run of ['a', '中', 'aB', '9', '\u0301', "'s", 'é'])
      expect(embedder.encode(run.repeat(60_000)).length).toBe(256);
  });
});

describe('the table', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mem-embedder-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let copies = 0;
  const damagedBy = (file: string, change: (bytes: Buffer) => Buffer): Embedder => {
    const at = join(folder, String(copies++));
    mkdirSync(at);
    for (const name of ['embedder.json', 'embedder.vocab', 'embedder.bin']) {
      if (name === file) writeFileSync(join(at, name), change(readFileSync(join(table, name))));
      else cpSync(join(table, name), join(at, name));
    }
    return loadEmbedder({ folder: at });
  };
  const flipped = (bytes: Buffer): Buffer => {
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
    return bytes;
  };

  it.each(['embedder.bin', 'embedder.vocab'])('is refused when one bit of %s is another', async (file) => {
    const damaged = damagedBy(file, flipped);
    expect(() => damaged.encode('x')).toThrow(`${file} is damaged`);
    await expect(damaged.prepare()).rejects.toThrow(`${file} is damaged`);
  });

  it('is refused when it is cut short, or is another one', () => {
    expect(() => damagedBy('embedder.bin', (bytes) => bytes.subarray(0, 1000)).encode('x')).toThrow('damaged');
    const renamed = (bytes: Buffer) => Buffer.from(bytes.toString().replace('mem-static-256', 'other'));
    expect(() => damagedBy('embedder.json', renamed).encode('x')).toThrow('other');
  });

  it('is read at the first use, not before, and again after a failure', () => {
    const at = join(folder, 'later');
    const late = loadEmbedder({ folder: at });
    expect([late.name, late.dimensions]).toEqual(['mem-static-256', 256]);
    expect(() => late.encode('x')).toThrow('ENOENT');
    cpSync(table, at, { recursive: true });
    expect(late.encode('deploy')).toEqual(embedder.encode('deploy'));
  });

  it('can be read in the background', async () => {
    const background = loadEmbedder();
    await Promise.all([background.prepare(), background.prepare()]);
    expect(background.encode('deploy')).toEqual(embedder.encode('deploy'));
  });

  it('takes less than 60 MB of memory, and none before its first use', () => {
    const script = `
      import { loadEmbedder } from ${JSON.stringify(join(import.meta.dirname, '..', 'src', 'index.ts'))};
      const used = () => { gc(); const { heapUsed, arrayBuffers } = process.memoryUsage(); return heapUsed + arrayBuffers; };
      const before = used();
      const embedder = loadEmbedder();
      const idle = used() - before;
      for (let at = 0; at < 5000; at++) embedder.encode('unknownWord' + at + ' and some text with it');
      console.log(JSON.stringify({ idle, loaded: used() - before }));`;
    const args = ['--conditions=source', '--expose-gc', '--import', 'tsx', '--input-type=module', '--eval', script];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: join(import.meta.dirname, '..') });
    const { idle, loaded } = JSON.parse(stdout) as { idle: number; loaded: number };
    expect(idle).toBeLessThan(1_000_000);
    expect(loaded).toBeLessThan(60_000_000);
  });
});

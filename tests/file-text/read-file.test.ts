import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { FILE_LIMITS, FileRefused, ReaderBusy, readFileText } from '../../packages/server/src/file-text/index.ts';
import { longestTurnOf } from '../support/turns.ts';
import { contentOf, deflated, pdfOf, pdfOfStreams } from './make-pdf.ts';
import { docxOf, paragraph, zipOf } from './make-zip.ts';

type GivenLimits = Partial<{ [Name in keyof typeof FILE_LIMITS]: number }>;

const read = (name: string, bytes: Buffer, limits: GivenLimits = {}) =>
  readFileText(name, bytes, { account_id: 'acme', limits });

async function reasonOf(name: string, bytes: Buffer, limits: GivenLimits = {}): Promise<string> {
  const error = await read(name, bytes, limits).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof FileRefused)) throw error ?? new Error('the file was read');
  return error.reason;
}

/** The process that reads a file now. */
function readerPid(): number | undefined {
  const tasks = readdirSync(`/proc/${process.pid}/task`);
  const children = tasks.flatMap((task) =>
    readFileSync(`/proc/${process.pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('reader.process'));
}

const GITHUB_TOKEN = `ghp_${'aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7'}`;
const MB = 1024 * 1024;
/** Unpacks to 900 MB. */
const BOMB = pdfOfStreams([deflated(Buffer.alloc(900 * MB, ' '), 2)]);

describe('a file of text', () => {
  it('is read in pages', async () => {
    const { format, pages } = await read('plan.md', Buffer.from('\ufeff# Plan\r\n\r\nShip it.\n'));
    expect({ format, pages }).toEqual({ format: 'markdown', pages: ['# Plan\n\nShip it.'] });
  });

  it('has its pages at form feeds', async () => {
    expect((await read('plan.txt', Buffer.from('one\ftwo\f'))).pages).toEqual(['one', 'two', '']);
  });

  it('without form feeds is cut between paragraphs, and nothing is lost', async () => {
    const text = Array.from({ length: 200 }, (_, at) => `Paragraph ${at} ${'words '.repeat(20)}😀`).join('\n\n');
    const { pages } = await read('long.txt', Buffer.from(text));
    expect(pages.length).toBeGreaterThan(5);
    expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(3000);
    expect(pages.join('\n\n')).toBe(text);
  });

  it('keeps the ends of its lines together', async () => {
    const { pages } = await read('plan.txt', Buffer.from(`one\f${'\r\n'.repeat(100_000)}two`));
    expect(pages[1]).toBe(`${'\n'.repeat(100_000)}two`);
    const long = `one\f${'x'.repeat(16_383)}\r\n${'x'.repeat(16_383)}\r\ntwo`;
    expect((await read('plan.txt', Buffer.from(long))).pages[1]).toBe(long.slice(4).replaceAll('\r\n', '\n'));
  });

  it('without any gap is cut between characters', async () => {
    const { pages } = await read('long.txt', Buffer.from('😀'.repeat(4000)));
    expect(pages.join('')).toBe('😀'.repeat(4000));
  });
});

describe('a PDF', () => {
  it('is read by pages', async () => {
    const { format, pages } = await read('plan.pdf', pdfOf([['Ship it', 'on Monday'], [], ['The (end)']]));
    expect({ format, pages }).toEqual({ format: 'pdf', pages: ['Ship it\non Monday', '', 'The (end)'] });
  });

  it('from a browser is read, whatever its fonts are', async () => {
    const { pages } = await read('printed.pdf', readFileSync(new URL('printed.pdf', import.meta.url)));
    expect(pages).toHaveLength(2);
    expect(pages[0]).toContain('The plan for the café: ship on Monday – naïve façade, Ωμέγα, Жизнь.');
    expect(pages[1]).toContain('Second page');
  });

  it('is read where its table of objects is broken', async () => {
    const broken = Buffer.from(
      pdfOf([['still here']])
        .toString('latin1')
        .replace(/startxref\n\d+/, 'startxref\n7'),
      'latin1',
    );
    expect((await read('plan.pdf', broken)).pages).toEqual(['still here']);
  });

  it('with as many pages as allowed is read', async () => {
    const pages = Array.from({ length: FILE_LIMITS.pages }, (_, at) => [`page ${at + 1}`]);
    expect((await read('long.pdf', pdfOf(pages))).pages.at(-1)).toBe(`page ${FILE_LIMITS.pages}`);
  });
});

describe('a Word document', () => {
  it('is read with its breaks', async () => {
    const body = `${paragraph('Ship &amp; rest')}<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br w:type="page"/><w:t>c</w:t><w:delText>gone</w:delText></w:r></w:p>`;
    const { format, pages } = await read('plan.docx', docxOf(body));
    expect({ format, pages }).toEqual({ format: 'docx', pages: ['Ship & rest\na\tb', 'c'] });
  });
});

describe('refused is', () => {
  it.each<[string, string, Buffer, string]>([
    ['an empty file', 'plan.txt', Buffer.alloc(0), 'empty'],
    ['a file that is too large', 'plan.txt', Buffer.alloc(FILE_LIMITS.file_bytes + 1, 'a'), 'too_large'],
    ['a file of an unknown kind', 'plan.xlsx', Buffer.from('text'), 'unknown_format'],
    ['a name without a kind', '../../etc/passwd', Buffer.from('text'), 'unknown_format'],
    ['a kind that is a name of every object', 'plan.constructor', Buffer.from('text'), 'unknown_format'],
    ['a PDF that is HTML', 'plan.pdf', Buffer.from('<html><body>hello</body></html>'), 'wrong_format'],
    ['a PDF that is a zip file', 'plan.pdf', zipOf([{ name: 'a', content: 'b' }]), 'wrong_format'],
    ['a PDF that is an image', 'plan.pdf', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'wrong_format'],
    ['text that is a PDF', 'plan.txt', pdfOf([['hello']]), 'wrong_format'],
    ['a Word document that is a PDF', 'plan.docx', pdfOf([['hello']]), 'wrong_format'],
    ['a Word document that is another zip file', 'plan.docx', zipOf([{ name: 'a', content: 'b' }]), 'wrong_format'],
    ['text with null bytes', 'plan.txt', Buffer.from('a\0b'), 'not_text'],
    ['text that is not UTF-8', 'plan.txt', Buffer.from([0x61, 0xff, 0xfe, 0x62]), 'not_text'],
    ['a text of nothing but spaces', 'plan.txt', Buffer.from(' \n\n '), 'no_text'],
    ['a text of too many pages', 'plan.txt', Buffer.from('a\f'.repeat(FILE_LIMITS.pages)), 'too_many_pages'],
    ['a text that is too long', 'plan.txt', Buffer.from('word '.repeat(FILE_LIMITS.chars / 4)), 'too_much_text'],
    ['a text with a token in it', 'plan.txt', Buffer.from(`use ${GITHUB_TOKEN}`), 'credentials'],
    ['a PDF with a token in it', 'plan.pdf', pdfOf([['hello'], [`use ${GITHUB_TOKEN}`]]), 'credentials'],
    ['a PDF of pictures', 'scan.pdf', pdfOf([[], []]), 'no_text'],
    ['a PDF of 10,000 pages', 'long.pdf', pdfOf(Array.from({ length: 10_000 }, () => ['x'])), 'too_many_pages'],
    ['the beginning of a PDF', 'cut.pdf', Buffer.from('%PDF-1.7\n1 0 obj\n<< /Type'), 'broken'],
    [
      'noise that begins as a PDF',
      'noise.pdf',
      Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(MB, 0xe5)]),
      'broken',
    ],
    ['a Word document without a directory', 'cut.docx', docxOf(paragraph('a')).subarray(0, -30), 'broken'],
    [
      'a Word document that is encrypted',
      'plan.docx',
      zipOf([{ name: 'word/document.xml', content: 'a', flags: 1 }]),
      'encrypted',
    ],
    [
      'a Word document with a type of its own',
      'plan.docx',
      zipOf([{ name: 'word/document.xml', content: '<!DOCTYPE a [<!ENTITY b "c">]>' }]),
      'broken',
    ],
    ['a Word document that unpacks to very much', 'bomb.docx', docxOf(paragraph('a'.repeat(40 * MB))), 'too_much_text'],
    ['a Word document of too much text', 'long.docx', docxOf(paragraph('word '.repeat(1_000_000))), 'too_much_text'],
  ])('%s', async (...[, name, bytes, reason]) => {
    expect(await reasonOf(name, bytes)).toBe(reason);
  });

  it('a PDF that needs a password', async () => {
    const zeros = '0'.repeat(64);
    const encrypt = `/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <${zeros}> /U <${zeros}> >> /ID [<00> <00>]`;
    expect(await reasonOf('plan.pdf', pdfOfStreams([deflated(contentOf(['secret']))], encrypt))).toBe('encrypted');
  });

  it('a PDF whose text unpacks to very much', async () => {
    const line = `1 0 0 1 9 720 Tm (${'word '.repeat(2000)}) Tj `;
    const bomb = deflated(`BT /F1 0.01 Tf ${line.repeat(1000)} ET`);
    expect(bomb.stream?.length).toBeLessThan(MB);
    expect(await reasonOf('bomb.pdf', pdfOfStreams([bomb]))).toBe('too_much_text');
  });

  it('a PDF that unpacks to more than memory allows', async () => {
    expect(BOMB.length).toBeLessThan(MB);
    expect(await reasonOf('bomb.pdf', BOMB)).toBe('too_much_memory');
  });

  it('a PDF of very many objects', async () => {
    const bomb = deflated(`BT /F1 12 Tf [${'(a) 1 '.repeat(20_000_000)}] TJ ET`);
    expect(['too_much_memory', 'too_much_text', 'no_text']).toContain(await reasonOf('bomb.pdf', pdfOfStreams([bomb])));
  });

  it('a PDF that takes too long', async () => {
    const pages = Array.from({ length: FILE_LIMITS.pages }, (_, at) => [`page ${at + 1}`]);
    expect(await reasonOf('slow.pdf', pdfOf(pages), { time_ms: 1000 })).toBe('too_slow');
  });
});

describe('reading', () => {
  it('goes on after a file that took all memory', async () => {
    const results = await Promise.allSettled([read('bomb.pdf', BOMB), read('plan.pdf', pdfOf([['Ship it']]))]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });

  it('of many files of one account at once is refused for now', async () => {
    const file = pdfOf([['Ship it']]);
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => read('plan.pdf', file)));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused).toHaveLength(3);
    expect(refused.every((reason) => reason instanceof ReaderBusy)).toBe(true);
  });

  it.each<[string, Buffer]>([
    ['form feeds', Buffer.alloc(FILE_LIMITS.file_bytes, '\f')],
    ['ends of lines', Buffer.concat([Buffer.from('a\f'), Buffer.alloc(1_900_000, 'ab\r')])],
    ['what begins as credentials', Buffer.concat([Buffer.from('a\f'), Buffer.alloc(1_900_000, 'token=abc ')])],
  ])('a text of nothing but %s gives way to others', async (_, bytes) => {
    const turn = await longestTurnOf(() => read('plan.txt', bytes).catch(() => undefined));
    expect(turn).toBeLessThan(100);
  });

  it.each([
    ['at the end of a part', 'word '.repeat(3276)],
    ['without a gap before it', `${'/'.repeat(16_370)} `],
    ['far within a page', 'word '.repeat(100_000)],
  ])('finds credentials %s', async (_, before) => {
    const page = `${before}${GITHUB_TOKEN} and more`;
    expect(await reasonOf('plan.txt', Buffer.from(`one\f${page}`))).toBe('credentials');
  });

  it('a Word document of nothing but the beginnings of tags is quick', async () => {
    const file = zipOf([{ name: 'word/document.xml', content: '<'.repeat(3_000_000) }]);
    expect(await reasonOf('tags.docx', file, { time_ms: 20_000 })).toBe('no_text');
  });

  // Reading it takes seconds.
  const slow = zipOf([{ name: 'word/document.xml', content: '<w:t>a</w:t>'.repeat(2_500_000) }]);
  it.runIf(existsSync('/proc/self/task')).each([
    ['SIGTERM', 'with the service, says nothing of the file', /was ended by SIGTERM/],
    ['SIGINT', 'with the service, says nothing of the file', /was ended by SIGINT/],
    ['SIGKILL', 'by a system without memory, took too much of it', /takes too much memory/],
  ] as const)('that is ended by %s, %s', async (signal, _, message) => {
    const reading = read('plan.docx', slow);
    const refused = expect(reading).rejects.toThrow(message);
    const pid = await vi.waitUntil(readerPid, { interval: 10, timeout: 10_000 });
    process.kill(pid, signal);
    await refused;
  });

  it('ends with its caller', async () => {
    const ended = AbortSignal.timeout(50);
    const reading = readFileText('plan.pdf', pdfOf([['Ship it']]), { account_id: 'acme', signal: ended });
    await expect(reading).rejects.toThrow(/aborted/);
  });
});

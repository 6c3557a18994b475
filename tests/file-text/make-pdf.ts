import { deflateSync } from 'node:zlib';

/** One object of a PDF: a dictionary, and a stream where it has one. */
export type PdfObject = { dict: string; stream?: Buffer };

const FONT: PdfObject = { dict: '/Type /Font /Subtype /Type1 /BaseFont /Helvetica' };

/** A PDF whose pages show these lines. */
export function pdfOf(pages: readonly (readonly string[])[]): Buffer {
  return pdfOfStreams(pages.map((lines) => deflated(contentOf(lines))));
}

/** A PDF with these content streams, one on each page. */
export function pdfOfStreams(streams: readonly PdfObject[], trailer = ''): Buffer {
  const first = 4;
  const kids = streams.map((_, at) => `${first + 2 * at} 0 R`).join(' ');
  const pages = streams.flatMap((stream, at): PdfObject[] => [
    {
      dict: `/Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${first + 2 * at + 1} 0 R /Resources << /Font << /F1 3 0 R >> >>`,
    },
    stream,
  ]);
  const catalog = { dict: '/Type /Catalog /Pages 2 0 R' };
  const tree = { dict: `/Type /Pages /Count ${streams.length} /Kids [${kids}]` };
  return pdfOfObjects([catalog, tree, FONT, ...pages], trailer);
}

/** Object 1 is the catalog. */
export function pdfOfObjects(objects: readonly PdfObject[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const add = (part: Buffer) => {
    parts.push(part);
    length += part.length;
  };
  for (const [at, { dict, stream }] of objects.entries()) {
    offsets.push(length);
    const size = stream ? ` /Length ${stream.length}` : '';
    add(Buffer.from(`${at + 1} 0 obj\n<< ${dict}${size} >>\n`));
    if (stream) add(Buffer.concat([Buffer.from('stream\n'), stream, Buffer.from('\nendstream\n')]));
    add(Buffer.from('endobj\n'));
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const count = objects.length + 1;
  add(
    Buffer.from(
      `xref\n0 ${count}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${count} /Root 1 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

/** The operators that show lines. */
export const contentOf = (lines: readonly string[]): string =>
  `BT /F1 12 Tf 14 TL 72 720 Td ${lines.map((line) => `(${escaped(line)}) Tj T*`).join(' ')} ET`;

const escaped = (line: string): string => line.replace(/[\\()]/g, '\\$&');

/** A stream that was deflated, as often as this. */
export function deflated(content: string | Buffer, times = 1): PdfObject {
  let stream: Buffer = Buffer.from(content);
  for (let i = 0; i < times; i++) stream = deflateSync(stream, { level: 9 });
  return { dict: `/Filter [${'/FlateDecode '.repeat(times)}]`, stream };
}

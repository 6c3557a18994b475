import { FileRefused } from './file-refused.ts';

/** The formats of files whose text can be read. */
export const FILE_FORMATS = ['text', 'markdown', 'pdf', 'docx'] as const;

export type FileFormat = (typeof FILE_FORMATS)[number];

const BY_EXTENSION: Readonly<Record<string, FileFormat>> = {
  txt: 'text',
  text: 'text',
  log: 'text',
  md: 'markdown',
  markdown: 'markdown',
  pdf: 'pdf',
  docx: 'docx',
};

/** The first bytes of formats, as they would be in Latin 1. */
const SIGNATURES: readonly (readonly [start: string, content: string])[] = [
  ['%PDF-', 'pdf'],
  ['PK\x03\x04', 'zip'],
  ['PK\x05\x06', 'zip'],
  ['\x89PNG', 'a PNG image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  ['GIF8', 'a GIF image'],
  ['\xd0\xcf\x11\xe0', 'an old Office document'],
  ['{\\rtf', 'rich text'],
  ['\x1f\x8b', 'a gzip file'],
  ['\x7fELF', 'a program'],
  ['MZ', 'a program'],
];

/** Programs that write PDF may put something before it, and readers look this far. */
const PDF_START_BYTES = 1024;

/** The format that a file's name promises. */
export function formatOfName(name: string): FileFormat {
  const extension = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const format = Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
  if (format === undefined)
    throw new FileRefused(
      'unknown_format',
      `the name must end with one of ${Object.keys(BY_EXTENSION)
        .map((known) => `.${known}`)
        .join(', ')}`,
    );
  return format;
}

/** Refuses a file that is not what its name promises. */
export function requireFormat(format: FileFormat, bytes: Uint8Array): void {
  const content = contentOf(bytes);
  if (format === 'pdf' && content === 'text' && hasPdfStart(bytes)) return;
  if (content === WANTED[format]) return;
  throw new FileRefused(
    'wrong_format',
    `the name says ${NAMES[format]}, and the content is ${NAMES[content] ?? content}`,
  );
}

const WANTED: Readonly<Record<FileFormat, string>> = { text: 'text', markdown: 'text', pdf: 'pdf', docx: 'zip' };
const NAMES: Readonly<Record<string, string>> = {
  text: 'plain text',
  markdown: 'Markdown',
  pdf: 'a PDF',
  docx: 'a Word document',
  zip: 'a zip file',
};

function contentOf(bytes: Uint8Array): string {
  const start = latin1(bytes, 8);
  return SIGNATURES.find(([signature]) => start.startsWith(signature))?.[1] ?? 'text';
}

const hasPdfStart = (bytes: Uint8Array): boolean => latin1(bytes, PDF_START_BYTES).includes('%PDF-');

const latin1 = (bytes: Uint8Array, most: number): string => String.fromCharCode(...bytes.subarray(0, most));

import { charCounter, refusal } from './refuse.mjs';

/** The text of each page of a PDF. */
export async function readPages(bytes, limits) {
  const { getDocument, VerbosityLevel } = await import('unpdf/pdfjs');
  const task = getDocument({
    data: bytes,
    isEvalSupported: false,
    useSystemFonts: false,
    disableFontFace: true,
    useWorkerFetch: false,
    useWasm: false,
    enableXfa: false,
    verbosity: VerbosityLevel.ERRORS,
  });
  const document = await task.promise.catch((error) => {
    if (error.name === 'PasswordException') throw refusal('encrypted', 'the PDF needs a password');
    throw refusal('broken', 'the PDF is broken');
  });
  if (document.numPages > limits.pages) throw refusal('too_many_pages', `the PDF has more than ${limits.pages} pages`);
  const count = charCounter(limits.chars);
  const pages = [];
  for (let number = 1; number <= document.numPages; number++) pages.push(await readPage(document, number, count));
  return pages;
}

async function readPage(document, number, count) {
  const page = await document.getPage(number);
  const parts = [];
  // In chunks, so that a page without end is refused before it fills the memory.
  for await (const { items } of page.streamTextContent())
    for (const { str = '', hasEOL } of items) parts.push(count(hasEOL ? `${str}\n` : str));
  page.cleanup();
  return parts.join('');
}

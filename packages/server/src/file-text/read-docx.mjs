import { charCounter, refusal } from './refuse.mjs';
import { unpack } from './unpack.mjs';

const MAIN_PART = 'word/document.xml';

/** The text of a Word document, divided where it was when it was last laid out. */
export async function readPages(bytes, limits) {
  const part = unpack(bytes, MAIN_PART, limits.unpacked_bytes);
  if (!part) throw refusal('wrong_format', 'the file is a zip file, and no Word document');
  const xml = new TextDecoder('utf-8', { fatal: true }).decode(part);
  if (xml.includes('<!DOCTYPE')) throw refusal('broken', 'the document declares a type of its own');
  const count = charCounter(limits.chars);
  const pages = [];
  let parts = [];
  const endPage = () => {
    pages.push(parts.join(''));
    parts = [];
    if (pages.length > limits.pages)
      throw refusal('too_many_pages', `the document has more than ${limits.pages} pages`);
  };
  let isText = false;
  for (const [, tag, text] of xml.matchAll(/<([^<>]*)>|([^<]+)/g)) {
    if (text !== undefined) {
      if (isText) parts.push(count(decodeEntities(text)));
      continue;
    }
    const name = /^\/?[\w:]+/.exec(tag)?.[0];
    if (name === 'w:t') isText = !tag.endsWith('/');
    else if (name === '/w:t') isText = false;
    else if (isPageBreak(name, tag)) endPage();
    else if (Object.hasOwn(GAPS, name)) parts.push(count(GAPS[name]));
  }
  endPage();
  return pages;
}

const GAPS = { '/w:p': '\n', 'w:br': '\n', 'w:cr': '\n', 'w:tab': '\t' };

const isPageBreak = (name, tag) =>
  name === 'w:lastRenderedPageBreak' || (name === 'w:br' && /\sw:type="page"/.test(tag));

const NAMED = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const decodeEntities = (text) => text.replace(/&(#\d{1,7}|#x[\da-f]{1,6}|amp|lt|gt|quot|apos);/gi, decodeEntity);

function decodeEntity(whole, name) {
  if (!name.startsWith('#')) return NAMED[name.toLowerCase()];
  const code = Number(name.slice(1).replace(/^x/i, '0x'));
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

import { lineEndOf } from './text-edits.ts';

const BEGIN = '<!-- mem:begin (kept by mem init; mem init --uninstall takes it out) -->';
const END = '<!-- mem:end -->';

/** Our part of a text, between two marker lines. */
const BLOCK = /(\r?\n)?<!-- mem:begin[^\n]*-->[\s\S]*?<!-- mem:end -->(\r?\n)?/;

export const hasBlock = (text: string): boolean => BLOCK.test(text);

export function setBlock(text: string, content: string): string {
  const eol = lineEndOf(text);
  const block = [BEGIN, ...content.trim().split('\n'), END].join(eol);
  if (hasBlock(text)) return text.replace(BLOCK, (_, before = '', after = '') => `${before}${block}${after}`);
  if (text.trim() === '') return `${text}${block}${eol}`;
  return `${text}${text.endsWith('\n') ? '' : eol}${eol}${block}${eol}`;
}

/** Also removes the empty line before it. */
export const removeBlock = (text: string): string => text.replace(BLOCK, '');

import { expect, test } from 'vitest';
import { documentText } from './adf.ts';

const text = (value: string, marks: object[] = []) => ({ type: 'text', text: value, marks });
const block = (type: string, ...content: object[]) => ({ type, content });
const doc = (...content: object[]) => ({ type: 'doc', version: 1, content });

test('blocks end lines, and items of lists are marked', () => {
  const list = block(
    'bulletList',
    block('listItem', block('paragraph', text('one'))),
    block('listItem', block('paragraph', text('two'))),
  );
  expect(documentText(doc(block('heading', text('Steps')), list, block('codeBlock', text('npm test'))))).toBe(
    'Steps\n- one\n- two\nnpm test',
  );
});

test('mentions, states, breaks and addresses are read', () => {
  const line = block(
    'paragraph',
    { type: 'mention', attrs: { id: '5c5f88', text: '@Ann' } },
    text(' see '),
    text('the change', [{ type: 'strong' }, { type: 'link', attrs: { href: 'https://github.com/acme/shop/pull/12' } }]),
    { type: 'hardBreak' },
    { type: 'inlineCard', attrs: { url: 'https://acme.atlassian.net/browse/PAY-7' } },
    text(' '),
    { type: 'status', attrs: { text: 'DONE' } },
  );
  expect(documentText(doc(line))).toBe(
    '@Ann see the change (https://github.com/acme/shop/pull/12)\nhttps://acme.atlassian.net/browse/PAY-7 DONE',
  );
});

test('a text is kept as it is, and cut where it is too long', () => {
  expect(documentText('h1. Title')).toBe('h1. Title');
  expect(documentText('x'.repeat(5000))).toBe(`${'x'.repeat(3999)}…`);
  expect(
    documentText(doc(...Array.from({ length: 3000 }, () => block('paragraph', text('word')))))?.length,
  ).toBeLessThanOrEqual(4000);
});

test('what is neither text nor document is nothing', () => {
  for (const value of [undefined, null, 7, {}, [], '  ', doc(), { content: 'text' }])
    expect(documentText(value)).toBeUndefined();
});

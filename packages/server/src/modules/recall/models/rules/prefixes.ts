/** What some models were trained to find before a question and before a text, by a part of their name. */
const PREFIXES: readonly (readonly [name: RegExp, question: string, text: string])[] = [
  [/nomic-embed-text/i, 'search_query: ', 'search_document: '],
  [/(^|[/_-])e5-(small|base|large)|multilingual-e5-(small|base|large)(?!-instruct)/i, 'query: ', 'passage: '],
  [/arctic-embed2|arctic-embed-[lm]-v2/i, 'query: ', ''],
  [
    /mxbai-embed-large|bge-(small|base|large)-en|arctic-embed/i,
    'Represent this sentence for searching relevant passages: ',
    '',
  ],
];

export function prefixesOf(model: string): { question: string; text: string } {
  const known = PREFIXES.find(([name]) => name.test(model));
  return { question: known?.[1] ?? '', text: known?.[2] ?? '' };
}

/** The Snowball English ("Porter2") stemmer, https://snowballstem.org/algorithms/english/stemmer.html */

const MAX_CACHED_STEMS = 50_000;
const stems = new Map<string, string>();

/** V8 makes a substring of 13 characters or more a view that keeps the whole original text in memory. */
const VIEW_LENGTH = 13;

const ENGLISH = /^[a-z]{3,}$/;

/** The stem of a word of three or more letters a-z; any other word is its own stem. */
export function stem(word: string): string {
  const first = word.charCodeAt(0);
  if (word.length < 3 || first < 0x61 || first > 0x7a) return word;
  const known = stems.get(word);
  if (known !== undefined) return known;
  if (!ENGLISH.test(word)) return word;
  if (stems.size >= MAX_CACHED_STEMS) stems.clear();
  const own = word.length < VIEW_LENGTH ? word : ` ${word}`.slice(1);
  const found = exceptions.get(own) ?? strip(own);
  stems.set(own, found);
  return found;
}

const exceptions = new Map<string, string>([
  ['skis', 'ski'],
  ['skies', 'sky'],
  ['idly', 'idl'],
  ['gently', 'gentl'],
  ['ugly', 'ugli'],
  ['early', 'earli'],
  ['only', 'onli'],
  ['singly', 'singl'],
  ...['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'].map((word): [string, string] => [word, word]),
]);

/** Where the first and second region begin: steps change only letters within them. `Y` is a consonant, `y` a vowel. */
type Regions = { first: number; second: number };

const PREFIX_BEFORE_FIRST = /^(?:gener|commun|arsen|past|univers|later|emerg|organ|inter)/;
const SYLLABLE = /[aeiouy][^aeiouy]/g;

function strip(word: string): string {
  const marked = word.includes('y') ? word.replace(/^y|(?<=[aeiouy])y/g, 'Y') : word;
  const regions = regionsOf(marked);
  let text = withoutPlural(marked);
  text = withoutTense(text, regions);
  text = withFinalI(text);
  text = replaceSuffix(text, STEP_2, regions.first);
  text = withoutStep3(text, regions);
  text = replaceSuffix(text, STEP_4, regions.second);
  text = withoutFinal(text, regions);
  return marked === word ? text : text.replaceAll('Y', 'y');
}

function regionsOf(word: string): Regions {
  const first = PREFIX_BEFORE_FIRST.exec(word)?.[0].length ?? afterSyllable(word, 0);
  return { first, second: afterSyllable(word, first) };
}

function afterSyllable(word: string, from: number): number {
  SYLLABLE.lastIndex = from;
  return SYLLABLE.test(word) ? SYLLABLE.lastIndex : word.length;
}

function hasVowel(text: string): boolean {
  return /[aeiouy]/.test(text);
}

function endsShort(text: string): boolean {
  return /[^aeiouy][aeiouy][^aeiouywxY]$|^[aeiouy][^aeiouy]$|past$/.test(text);
}

function withoutPlural(text: string): string {
  if (text.endsWith('sses')) return text.slice(0, -2);
  if (text.endsWith('ied') || text.endsWith('ies')) return text.slice(0, text.length > 4 ? -2 : -1);
  if (!text.endsWith('s') || text.endsWith('us') || text.endsWith('ss')) return text;
  return hasVowel(text.slice(0, -2)) ? text.slice(0, -1) : text;
}

const TENSE = /(?:eedly|eed|edly|ed|ingly|ing)$/;
const KEEPS_EED = /^(?:proc|exc|succ)$/;
const KEEPS_ING = /^(?:inn|out|cann|herr|earr|even)$/;

function withoutTense(text: string, { first }: Regions): string {
  if (!'dgy'.includes(text.slice(-1))) return text;
  const suffix = TENSE.exec(text)?.[0];
  if (suffix === undefined) return text;
  const rest = text.slice(0, -suffix.length);
  if (suffix.startsWith('eed')) return rest.length >= first && !KEEPS_EED.test(rest) ? `${rest}ee` : text;
  if (suffix === 'ing') {
    if (/^[^aeiouy]y$/.test(rest)) return `${rest.charAt(0)}ie`;
    if (KEEPS_ING.test(rest)) return text;
  }
  return hasVowel(rest) ? repaired(rest, first) : text;
}

function repaired(rest: string, first: number): string {
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(rest)) return /^[aeo]..$/.test(rest) ? rest : rest.slice(0, -1);
  return rest.length === first && endsShort(rest) ? `${rest}e` : rest;
}

function withFinalI(text: string): string {
  const last = text.slice(-1);
  return (last === 'y' || last === 'Y') && /.[^aeiouy].$/.test(text) ? `${text.slice(0, -1)}i` : text;
}

/** Only the longest matching suffix counts; then the region and `after` decide whether it is replaced. */
type Suffix = { suffix: string; replacement: string; after: RegExp | undefined };

function suffixes(...rows: [suffixes: string, replacement: string, after?: RegExp][]): Map<string, Suffix[]> {
  const all = rows.flatMap(([list, replacement, after]) =>
    list.split(' ').map((suffix) => ({ suffix, replacement, after })),
  );
  const byLastLetter = new Map<string, Suffix[]>();
  for (const one of all.sort((a, b) => b.suffix.length - a.suffix.length)) {
    const last = one.suffix.slice(-1);
    byLastLetter.set(last, [...(byLastLetter.get(last) ?? []), one]);
  }
  return byLastLetter;
}

const STEP_2 = suffixes(
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['entli', 'ent'],
  ['izer ization', 'ize'],
  ['ational ation ator', 'ate'],
  ['alism aliti alli', 'al'],
  ['fulness fulli', 'ful'],
  ['ousli ousness', 'ous'],
  ['iveness iviti', 'ive'],
  ['biliti bli', 'ble'],
  ['ogist', 'og'],
  ['ogi', 'og', /l$/],
  ['lessli', 'less'],
  ['li', '', /[cdeghkmnrt]$/],
);

const STEP_3 = suffixes(
  ['tional', 'tion'],
  ['ational', 'ate'],
  ['alize', 'al'],
  ['icate iciti ical', 'ic'],
  ['ful ness', ''],
);

const STEP_4 = suffixes(
  ['al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize', ''],
  ['ion', '', /[st]$/],
);

function replaceSuffix(text: string, step: Map<string, Suffix[]>, region: number): string {
  for (const { suffix, replacement, after } of step.get(text.slice(-1)) ?? []) {
    if (!text.endsWith(suffix)) continue;
    const rest = text.slice(0, -suffix.length);
    return rest.length >= region && (!after || after.test(rest)) ? rest + replacement : text;
  }
  return text;
}

function withoutStep3(text: string, { first, second }: Regions): string {
  if (text.endsWith('ative')) return text.length - 5 >= second ? text.slice(0, -5) : text;
  return replaceSuffix(text, STEP_3, first);
}

function withoutFinal(text: string, { first, second }: Regions): string {
  const rest = text.slice(0, -1);
  if (text.endsWith('e')) return rest.length >= second || (rest.length >= first && !endsShort(rest)) ? rest : text;
  return text.endsWith('ll') && rest.length >= second ? rest : text;
}

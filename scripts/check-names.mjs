// Checks names: no type is declared in two files, and the refused words of scripts/words.json occur nowhere. The first
// argument is the folder to check, by default the project. Prints a line for each finding.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = process.argv[2] ?? join(here, '..');
const { types, words, phrases, identifiers } = JSON.parse(readFileSync(join(here, 'words.json'), 'utf8'));

const DECLARATION = /^\s*(?:export |declare |abstract )*(?:type (?=\w+\s*[=<])|interface |class )(\w+)/gm;
const SKIPPED = new Set(['node_modules', 'dist', 'fixtures', 'coverage', 'train']);
const found = [];
const declared = new Map();

for (const file of filesBelow(root)) {
  const name = relative(root, file);
  const text = readFileSync(file, 'utf8');
  if (name.endsWith('.md')) checkProse(name, withoutCode(text), 'docs');
  else checkSource(name, text);
}
for (const [type, files] of declared) {
  if (files.size > 1 && !(type in types)) found.push(`${type}: declared in ${[...files].join(', ')}`);
}

for (const line of found) console.error(line);
if (found.length > 0) {
  console.error(`\n${found.length} names to change. Why: docs/decisions/034-words.md`);
  process.exitCode = 1;
}

function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.') || SKIPPED.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (/\.(ts|mjs|md)$/.test(entry.name) && existsSync(path)) yield path;
  }
}

function checkSource(file, text) {
  const { code, comments } = split(text);
  for (const { 1: type } of code.matchAll(DECLARATION)) {
    declared.set(type, (declared.get(type) ?? new Set()).add(file));
  }
  for (const { 0: identifier, index } of code.matchAll(/[#\w$]+/g)) {
    if (Object.hasOwn(identifiers, identifier)) continue;
    for (const part of partsOf(identifier)) report({ file, text: code, index }, part, 'identifiers');
  }
  checkProse(file, comments, 'comments');
}

function checkProse(file, text, where) {
  let prose = text;
  for (const phrase of phrases) prose = prose.replaceAll(phrase, (same) => ' '.repeat(same.length));
  for (const { 0: word, index } of prose.matchAll(/[A-Za-z]+/g))
    report({ file, text, index }, word.toLowerCase(), where);
}

function report({ file, text, index }, word, where) {
  const rule = Object.hasOwn(words, word) ? words[word] : undefined;
  if (!rule?.in.includes(where) || rule.allow?.[file] !== undefined) return;
  found.push(`${file}:${text.slice(0, index).split('\n').length}: "${word}" in ${where}: ${rule.use}`);
}

/** Splits an identifier into words: `userName`, `USER_NAME` and `user_name` give the same. */
function partsOf(identifier) {
  return identifier
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean);
}

/** Names in backticks belong to the wire, files or SQL; code blocks are run by other tests. */
function withoutCode(markdown) {
  return markdown.replace(/```[\s\S]*?```|`[^`\n]*`|\]\([^)]*\)/g, (code) => code.replace(/[^\n]/g, ' '));
}

/** Returns the text twice, once with the code only and once with the comments only. Strings are in neither. */
function split(text) {
  const code = [...text.replace(/[^\n]/g, ' ')];
  const comments = [...code];
  const depths = [];
  let last = '';
  for (let at = 0; at < text.length; ) {
    const end = endOfPiece(text, at, { depths, last });
    const target = end.kind === 'code' ? code : end.kind === 'comment' ? comments : undefined;
    if (target) for (let i = at; i < end.at; i++) target[i] = text[i];
    const piece = text.slice(at, end.at);
    if (end.kind !== 'comment' && piece.trim() !== '') last = end.kind === 'string' ? '"' : piece.trim().at(-1);
    at = end.at;
  }
  return { code: code.join(''), comments: withoutBackticks(comments.join('')) };
}

function withoutBackticks(text) {
  return text.replace(/`[^`\n]*`/g, (name) => ' '.repeat(name.length));
}

function endOfPiece(text, at, { depths, last }) {
  const two = text.slice(at, at + 2);
  const piece = (pattern, kind) => {
    pattern.lastIndex = at;
    return { at: at + (pattern.exec(text)?.[0].length || 1), kind };
  };
  if (two === '//') return piece(/[^\n]*/y, 'comment');
  if (two === '/*') return piece(/\/\*[\s\S]*?\*\//y, 'comment');
  if (text[at] === "'" || text[at] === '"') return piece(/(['"])(?:\\.|(?!\1)[^\n])*\1?/y, 'string');
  if (text[at] === '`') return template(text, at + 1, depths);
  if (text[at] === '{' && depths.length > 0) depths[depths.length - 1]++;
  if (text[at] === '}' && depths.length > 0 && --depths[depths.length - 1] < 0) {
    depths.pop();
    return template(text, at + 1, depths);
  }
  if (text[at] === '/' && /^[(,=:[!&|?{};+\n]?$/.test(last))
    return piece(/\/(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\n])+\/[a-z]*/y, 'string');
  return piece(/[\w$#]+|\s+|./y, 'code');
}

/** Skips to the end of a template literal, or to the start of an expression in it. */
function template(text, from, depths) {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '`') return { at: at + 1, kind: 'string' };
    else if (text[at] === '$' && text[at + 1] === '{') {
      depths.push(0);
      return { at: at + 2, kind: 'string' };
    }
  }
  return { at: text.length, kind: 'string' };
}

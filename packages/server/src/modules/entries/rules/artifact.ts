const EXTENSION =
  /\.(?:c|cpp|cs|css|go|h|hpp|html?|java|jsx?|json|kt|lua|md|mjs|php|proto|py|rb|rs|scala|sh|sql|swift|tf|toml|tsx?|vue|xml|ya?ml)$/i;

const LOOKED_AT = 4096;
const MIN_LENGTH = 24;

/** Lines, trimmed, that do not occur in notes. */
const STRONG = [
  /^(?:#!\/|#include ?[<"]|<\?(?:php|xml)|<!doctype |diff --git |@@ -\d)/i,
  /^(?:import .+ from ['"]|import ['"{]|from [\w.]+ import |package (?:main|[\w.]+;)$)/,
  /^(?:export (?:const|default|function|class|async) |(?:async )?function \w+\(|(?:pub )?fn \w+[(<]|func (?:\(\w|\w+\())/,
  /^(?:async )?def \w+\(.*:$/,
  /^(?:public|private|protected) (?:static|final|class|interface|abstract|void|async|readonly) /,
  /^(?:CREATE|create) (?:TABLE|table) .+\(/,
];

/** Lines that are common in code and possible in a note. */
const WEAK = [
  /^(?:const|let|var) \w+ ?[:=]/,
  /^(?:return|throw|raise|yield) ?[\w("'[{]/,
  /^(?:if|for|while|switch) ?\(/,
  /^(?:if|for|while|elif|with|except) .+:$/,
  /^class \w.*[:{]$/,
  /^(?:\/\/|\/\*|@\w+\()/,
  /^[\])}]+[;,]?$/,
  /[;{]$/,
  /^[\w.]+ ?:?= ?[\w.]+\(/,
];

/** Whether an entry is a source or configuration file rather than a memory, judged by its key or its value. */
export function isArtifact(key: string, valueText: string): boolean {
  return EXTENSION.test(key) || looksLikeCode(linesOf(valueText));
}

/** The lines of a value given as JSON. Only a string has lines: an object is not a file, however it is indented. */
function linesOf(valueText: string): string {
  if (!valueText.startsWith('"')) return '';
  const body = valueText.slice(1, valueText.length > LOOKED_AT ? LOOKED_AT : -1);
  return body.replace(/\\(?:r\\n|[nrt"\\/])/g, (code) => ESCAPES.get(code) ?? '\n');
}

const ESCAPES = new Map([
  ['\\t', '\t'],
  ['\\"', '"'],
  ['\\\\', '\\'],
  ['\\/', '/'],
]);

function looksLikeCode(text: string): boolean {
  if (text.length < MIN_LENGTH) return false;
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const shows = (mark: RegExp) => lines.some((line) => mark.test(line));
  return STRONG.some(shows) || WEAK.filter(shows).length >= 2;
}

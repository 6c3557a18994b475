// A table belongs to the module that declares it, and only that module's SQL may name it; other modules use what the
// owner exports. Checks the sources as text, which is fast. The first argument is the folder of the workspace.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const isMigration = (file) => /(^|\/)migrations(\.ts$|\/)/.test(file);
/** Statements of old migrations that are too long for the file of the others. */
const isOldMigration = (file) => file.includes('/modules/outcomes/migrations/');

export function checkOwners(root) {
  const files = sourcesOf(root);
  const owners = ownersOf(files);
  const problems = [];
  for (const { file, owner, text } of files) {
    if (isOldMigration(file)) continue;
    for (const { table, at } of namedIn(isMigration(file) ? withoutOld(text) : text)) {
      if (!owners.has(table) || owners.get(table) === owner) continue;
      const line = text.slice(0, at).split('\n').length;
      problems.push(`${file}:${line} names ${table}, which belongs to ${owners.get(table)}`);
    }
  }
  return { owners, problems };
}

/**
 * A migration with a `legacy` number is history: it says what a table was when it belonged to another module. What stands
 * above the list in such a file is part of one.
 */
function withoutOld(text) {
  const starts = [...text.matchAll(/\{\s*version: \d+,(\s*legacy:)?/g)];
  if (!starts.some(([, legacy]) => legacy)) return text;
  const parts = starts.map(({ index, 1: legacy }, i) => {
    const part = text.slice(index, starts[i + 1]?.index);
    return legacy ? keepLines(part) : part;
  });
  return keepLines(text.slice(0, starts[0].index)) + parts.join('');
}

/** Every source file with the module it belongs to, without comments. */
function sourcesOf(root) {
  const packages = join(root, 'packages');
  return readdirSync(packages).flatMap((name) => {
    const source = join(packages, name, 'src');
    if (!existsSync(source)) return [];
    return readdirSync(source, { recursive: true })
      .map(String)
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .map((path) => ({
        file: relative(root, join(source, path)).split(sep).join('/'),
        owner: ownerOf(path.split(sep)),
        text: readFileSync(join(source, path), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, keepLines),
      }));
  });
}

const keepLines = (comment) => comment.replace(/[^\n]/g, ' ');

const ownerOf = ([top, module]) => (top === 'modules' ? module : top);

const NAME = String.raw`[\s(]*(?:"?\w+"?\.)?"?(\w+)"?(?![\w"(])`;
/** `FROM entries`, `from (public."entries"`, …: what stands behind a word of SQL. */
const IN_SQL = new RegExp(
  String.raw`(?<![.\w])(?:FROM|JOIN|UPDATE|TABLE|VACUUM|INTO)(?:\s+ONLY)?(?=[\s(])${NAME}`,
  'gi',
);
/** `INTO entries(no)`: elsewhere a bracket makes it a function. */
const INTO = /\bINTO\s+(?:"?\w+"?\.)?"?(\w+)"?\(/gi;
/** `AS e, versions`: the next one of a list. */
const NEXT = new RegExp(String.raw`\s*(?:AS\s+)?(?:(?!WHERE\b)\w+\s*)?,${NAME}`, 'iy');
/** A statement that is written as data. */
const AS_DATA = /\btable:\s*['"`](\w+)['"`]/g;

/** The tables that a text may name, and where. */
function namedIn(text) {
  const found = [...text.matchAll(AS_DATA), ...text.matchAll(INTO)].map((one) => ({ table: one[1], at: one.index }));
  for (const one of text.matchAll(IN_SQL)) {
    found.push({ table: one[1], at: one.index });
    NEXT.lastIndex = one.index + one[0].length;
    for (let next = NEXT.exec(text); next; next = NEXT.exec(text)) found.push({ table: next[1], at: next.index });
  }
  return found.sort((one, other) => one.at - other.at);
}

/** Tables by the module that declares them: `exported(…)` with a statement, or an object with `left_out` or `view`. */
function ownersOf(files) {
  const owners = new Map();
  for (const { file, owner, text } of files) {
    const declare = (table) => {
      const other = owners.get(table);
      if (other !== undefined && other !== owner) throw new Error(`${table} is declared by ${other} and by ${owner}`);
      owners.set(table, owner);
    };
    const folder = dirname(file);
    const texts = files
      .filter((one) => one.owner === owner && dirname(one.file).startsWith(folder))
      .map((one) => one.text);
    for (const [, table, statement] of text.matchAll(/\bexported\(\s*(?:\{\s*table: '(\w+)'|(?:\w+\.)?(\w+),)/g))
      declare(table ?? tableOf(statement, texts.join('\n')));
    for (const [, table] of text.matchAll(/\{\s*table: '(\w+)',[^}]*?(?:left_out|shared): /g)) declare(table);
    for (const [, table, view] of text.matchAll(/\btable: '(\w+)',\s*view: '(\w+)'/g)) {
      declare(table);
      declare(view);
    }
  }
  return owners;
}

/** The table of a statement written as data, including one derived from another statement. */
function tableOf(statement, text) {
  const [, body = ''] = new RegExp(`\\bconst ${statement}\\b[^=]*= \\{([\\s\\S]*?)\\};`).exec(text) ?? [];
  const table = /\btable: '(\w+)'/.exec(body)?.[1];
  const base = /\.\.\.(\w+)/.exec(body)?.[1];
  if (table === undefined && base === undefined) throw new Error(`there is no table in ${statement}`);
  return table ?? tableOf(base, text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..');
  const { problems } = checkOwners(root);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) console.error(`${problems.length} statements name a table of another module`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

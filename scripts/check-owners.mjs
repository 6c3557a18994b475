// A table belongs to the module that declares it, and only that module's SQL may name it; other modules use what the
// owner exports. Checks the sources as text, which is fast. The first argument is the folder of the workspace.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const isMigration = (file) => /(^|\/)migrations(\.ts$|\/)/.test(file);
/** Statements of migrations over the tables of several modules, or too long for the file of the others. */
const isOldMigration = (file) => /\/modules\/(outcomes|accounts|series)\/migrations\//.test(file);

const FROM_DECLARATIONS = 'works on every table that is declared, by its declaration';
const FROM_DATA = 'writes out statements that are given as data, and the data names the table';
/** Files that may take the name of a table from a variable, and why. */
const EXCEPTIONS = new Map([
  ['packages/server/src/db/expected-schema.ts', 'reads statements of migrations, and writes none'],
  ['packages/server/src/db/postgres-dialect.ts', 'joins a table that is given'],
  ['packages/server/src/db/postgres-many.ts', FROM_DATA],
  ['packages/server/src/db/postgres-obstacles.ts', 'reads the catalog'],
  ['packages/server/src/db/postgres-partition.ts', FROM_DECLARATIONS],
  ['packages/server/src/db/postgres-first.ts', 'bounds a statement that is given whole'],
  ['packages/server/src/db/schema-guard.ts', 'takes the schema of the table of migrations, and not its name'],
  ['packages/server/src/db/sql.ts', FROM_DATA],
  ['packages/server/src/db/sqlite.ts', 'joins a table that is given'],
  ['packages/server/src/db/sqlite-find.ts', FROM_DATA],
  ['packages/server/src/db/sqlite-plans.ts', FROM_DATA],
  ['packages/server/src/db/row-security.ts', FROM_DECLARATIONS],
  ['packages/server/src/db/row-security-types.ts', FROM_DECLARATIONS],
  ['packages/server/src/db/row-security-roles.ts', 'revokes rights from a role'],
  ['packages/server/src/kernel/stored-columns.ts', 'makes statements of migrations'],
  ['packages/server/src/modules/accounts/queries.ts', FROM_DECLARATIONS],
  ['packages/server/src/modules/erasure/queries.ts', FROM_DECLARATIONS],
  ['packages/server/src/modules/text/merge-words.ts', FROM_DECLARATIONS],
  ['packages/server/src/modules/text/matching-column.ts', 'reads from parts that are made in the same file'],
  ['packages/server/src/modules/transfer/queries.ts', FROM_DECLARATIONS],
  ['packages/server/src/modules/transfer/restore.ts', FROM_DECLARATIONS],
]);

export function checkOwners(root) {
  const files = sourcesOf(root);
  const owners = ownersOf(files);
  const problems = [];
  const isGivenSql = sqlMembersOf(files);
  for (const { file, owner, text } of files) {
    if (isOldMigration(file)) continue;
    if (!isMigration(file)) problems.push(...variableProblems({ file, text, owner }, { owners, isGivenSql }));
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

/** `FROM ${…}`, `VACUUM ${…}`: a table that is not written where it is used. */
const VARIABLE = /(?<![.\w])(?:FROM|JOIN|UPDATE|TABLE|VACUUM|INTO)(?:\s+ONLY)?[\s(]+\$\{/gi;
/** The same in a statement that is written as data. */
const VARIABLE_AS_DATA = /\btable:\s*(?!string\b)(?:\w+\.)*\w+,\s*(?:columns|select|set|by)\b/g;

/** Names of parameters and members that hold a piece of SQL: what it names is checked where it is written. */
function sqlMembersOf(files) {
  const names = new Set(files.flatMap(({ text }) => [...text.matchAll(/\b(\w+)\??: Sql\b/g)].map((one) => one[1])));
  return (name) => names.has(name);
}

/** Tables that come from variables: one that is a constant of the file is checked, any other needs an exception. */
function variableProblems({ file, text, owner }, { owners, isGivenSql }) {
  const found = [...text.matchAll(VARIABLE)].flatMap(({ 0: start, index: at }) => {
    const isSql = isTagged(text, at);
    // In a plain template small letters are prose: `taken over from ${name}`.
    if (!isSql && start !== start.toUpperCase()) return [];
    return { at, name: tableIn(expressionAt(text, at + start.length), { text, isGivenSql, isSql }) };
  });
  found.push(...[...text.matchAll(VARIABLE_AS_DATA)].map(({ index }) => ({ at: index, name: null })));
  if (EXCEPTIONS.has(file) && found.every(({ name }) => name !== null))
    return [`${file} needs no exception: it takes the name of no table from a variable`];
  return found.flatMap(({ at, name }) => {
    const line = text.slice(0, at).split('\n').length;
    if (name === null && !EXCEPTIONS.has(file))
      return `${file}:${line} takes the name of a table from a variable: write it out, or add an exception`;
    if (!owners.has(name) || owners.get(name) === owner) return [];
    return `${file}:${line} names ${name}, which belongs to ${owners.get(name)}`;
  });
}

/** The expression of a template up to its closing brace. */
function expressionAt(text, start) {
  let depth = 1;
  let end = start;
  for (; depth > 0 && end < text.length; end++) depth += { '{': 1, '}': -1 }[text[end]] ?? 0;
  return text.slice(start, end - 1).trim();
}

/** Whether the template around a place is one of `sql`, where only pieces of SQL become part of the text. */
function isTagged(text, at) {
  let depth = 0;
  for (let i = at; i >= 0; i--) {
    if (text[i] === '}') depth++;
    else if (text[i] === '{' && depth > 0) depth--;
    else if (text[i] === '`' && depth === 0) return text.slice(0, i).endsWith('sql');
  }
  return false;
}

/** The table that an expression names; undefined where it is a piece of SQL, null where it cannot be known. */
function tableIn(expression, { text, isGivenSql, isSql }) {
  const literal = /^(?:fragment\(\s*)?['"`](\w+)['"`]\s*\)?$/.exec(expression)?.[1];
  if (literal !== undefined) return literal;
  const inFragment = /^fragment\(\s*(\w+)\s*\)$/.exec(expression)?.[1];
  const constant = /^\w+$/.test(inFragment ?? expression) ? constantOf(inFragment ?? expression, text) : undefined;
  if (constant !== undefined) return tableIn(constant, { text: '', isGivenSql, isSql });
  if (expression.startsWith('sql`')) return undefined;
  if (/\bfragment\(/.test(expression)) return null;
  if (expression.endsWith('.text')) return undefined;
  if (/^(?:\w+\.)*\w+\(|\? (?:sql`|(?:\w+\.)*\w+\()/.test(expression)) return isSql ? undefined : null;
  const isImported = new RegExp(`\\bimport \\{[^}]*\\b${expression}\\b`).test(text);
  return /^\w+$/.test(expression) && (isImported || isGivenSql(expression)) ? undefined : null;
}

/** What a constant of the file is set to. */
function constantOf(name, text) {
  const single = new RegExp(`\\bconst ${name}\\b[^=\\n]*=\\s*([^;]+);`).exec(text)?.[1];
  if (single !== undefined) return single.trim();
  const [, names, values] = new RegExp(`\\bconst \\[([^\\]]*\\b${name}\\b[^\\]]*)\\] = \\[(.*)\\];`).exec(text) ?? [];
  return names && values.split(', ')[names.split(', ').indexOf(name)];
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
